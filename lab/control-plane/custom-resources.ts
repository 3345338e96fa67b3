import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import type { KubeConfig, KubernetesObject } from '@kubernetes/client-node';
import { Agent, request } from 'undici';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { connectKube, type Kube } from '../../kube/client.ts';
import { until } from '../supervisor/wait.ts';

const crdSchema = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
  status: z
    .looseObject({ conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).default([]) })
    .prefault({}),
});

/** Applies every CRD of a folder and returns when the API server serves them all. */
export const applyCrds = (kubeconfig: string, folder: string, signal: AbortSignal): Promise<readonly string[]> =>
  applyAllCrds(kubeconfig, readCrds(folder), signal);

/** A manifest as read from a file. */
interface Manifest {
  readonly metadata?: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** Annotation with the digest of the last applied version: unchanged manifests are skipped. */
const APPLIED = 'temper.lab/applied';

export async function applyAllCrds(
  kubeconfig: string,
  crds: readonly Manifest[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const kube = connectKube(kubeconfig);
  try {
    for (const crd of crds) await replaceCrd(kube, crd);
    const names = crds.map((crd) => crd.metadata?.name ?? '');
    await Promise.all(names.map((name) => until(`CRD ${name}`, () => askEstablished(kube, name), signal)));
    return names;
  } finally {
    await kube.close();
  }
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Replaced as a whole: server-side apply of a large schema takes the API server twice as long. */
async function replaceCrd(kube: Kube, crd: Manifest): Promise<void> {
  const path = `${CRDS}/${crd.metadata?.name ?? ''}`;
  const applied = createHash('sha256').update(JSON.stringify(crd)).digest('hex');
  const found = crdSchema.optional().parse(await kube.find(path));
  if (found?.metadata.annotations[APPLIED] === applied) return;
  const annotations = { ...crd.metadata?.annotations, [APPLIED]: applied };
  if (found === undefined) {
    await kube.request({ method: 'POST', path: CRDS, body: { ...crd, metadata: { ...crd.metadata, annotations } } });
  } else {
    const { resourceVersion } = found.metadata;
    const body = { ...crd, metadata: { ...crd.metadata, annotations, resourceVersion } };
    await kube.request({ method: 'PUT', path, body });
  }
}

/**
 * In plain JSON: the typed client drops `default`, `enum` and `x-kubernetes-*` from schemas because it uses other names
 * for them.
 */
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

async function askEstablished(kube: Kube, name: string): Promise<void> {
  const { conditions } = crdSchema.parse(await kube.request({ path: `${CRDS}/${name}` })).status;
  const isEstablished = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  if (!isEstablished) throw new Error(`conditions are ${JSON.stringify(conditions)}`);
}
