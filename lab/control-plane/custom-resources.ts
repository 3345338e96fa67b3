import { readdirSync, readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import { KubeConfig, type KubernetesObject, KubernetesObjectApi } from '@kubernetes/client-node';
import { Agent, request } from 'undici';
import { parseAllDocuments } from 'yaml';
import { until } from '../supervisor/wait.ts';

interface CustomResourceDefinition extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Applies every CRD of a folder and returns when the API server serves them all. */
export async function applyCrds(kubeconfig: string, folder: string, signal: AbortSignal): Promise<readonly string[]> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = KubernetesObjectApi.makeApiClient(config);
  const crds = readCrds(folder);
  await Promise.all(
    crds.map(async (crd) => {
      const name = crd.metadata?.name ?? '';
      await applyCrd(config, crd);
      await until(`CRD ${name}`, () => askEstablished(api, name), signal);
    }),
  );
  return crds.map((crd) => crd.metadata?.name ?? '');
}

const applyCrd = (config: KubeConfig, crd: KubernetesObject): Promise<void> =>
  applyObject(config, `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata?.name ?? ''}`, crd);

/** In plain JSON: the typed client drops `default`, `enum` and `x-kubernetes-*` from schemas, for which it has names of its own. */
export async function applyObject(config: KubeConfig, path: string, object: KubernetesObject): Promise<void> {
  const tls: RequestOptions = {};
  await config.applyToHTTPSOptions(tls);
  const { ca, cert, key } = tls;
  const dispatcher = new Agent({ connect: { ca, cert, key } as Agent.Options['connect'] & object });
  try {
    const url = `${config.getCurrentCluster()?.server ?? ''}${path}?fieldManager=temper-lab&force=true`;
    const { statusCode, body } = await request(url, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(object),
      dispatcher,
    });
    const answer = await body.text();
    if (statusCode >= 300) throw new Error(`applying ${path}: the API server answered ${statusCode}: ${answer}`);
  } finally {
    await dispatcher.close();
  }
}

function readCrds(folder: string): readonly KubernetesObject[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((crd): crd is KubernetesObject => crd?.kind === 'CustomResourceDefinition');
}

async function askEstablished(api: KubernetesObjectApi, name: string): Promise<void> {
  const crd = await api.read<CustomResourceDefinition>({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
  });
  const conditions = crd.status?.conditions ?? [];
  const isTrue = (type: string): boolean => conditions.some((c) => c.type === type && c.status === 'True');
  if (!isTrue('Established')) throw new Error(`conditions are ${JSON.stringify(conditions)}`);
}
