import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KubeConfig, type KubernetesObject } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import { convertedDefinitions } from '../api/crds.ts';
import { connectKube } from '../kube/client.ts';
import { definitionPath } from '../kube/paths.ts';
import { applyObject } from './control-plane/custom-resources.ts';

const MANIFESTS = fileURLToPath(new URL('../deploy/kubernetes/webhooks.yaml', import.meta.url));

interface Configuration extends KubernetesObject {
  readonly webhooks: readonly { readonly clientConfig: { readonly service: { readonly path: string } } }[];
}

/** Label of a namespace that admission skips, for tests of what the webhooks would refuse. */
export const WITHOUT_ADMISSION = { 'temper.lab/admission': 'off' } as const;

const ADMITTED_NAMESPACES = {
  matchExpressions: Object.entries(WITHOUT_ADMISSION).map(([key, off]) => ({ key, operator: 'NotIn', values: [off] })),
};

/** Skips admission for the lab itself, which changes BMC addresses when their port moved. */
const NOT_THE_LAB = {
  name: 'not-the-lab',
  expression:
    "request.operation != 'UPDATE' || !has(request.options.fieldManager) || request.options.fieldManager != 'temper-lab'",
};

/**
 * Registers the bridge on this loopback port as webhook of the API server. Unlike in a cluster, writes are accepted
 * while the bridge is down, because tests stop it on purpose. Reads and writes of a deprecated version fail then.
 */
export async function registerWebhooks(kubeconfig: string, port: number): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const at = (path: string) => ({ url: `https://127.0.0.1:${port}${path}` });
  for (const [kind, plural] of CONFIGURATIONS) {
    const configuration = readConfiguration(kind);
    const webhooks = configuration.webhooks.map((webhook) => ({
      ...webhook,
      clientConfig: at(webhook.clientConfig.service.path),
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
      matchConditions: [NOT_THE_LAB],
      namespaceSelector: ADMITTED_NAMESPACES,
    }));
    const path = `/apis/admissionregistration.k8s.io/v1/${plural}/${configuration.metadata?.name ?? ''}`;
    await applyObject(config, path, { ...configuration, webhooks } as KubernetesObject);
  }
  await convertAt(kubeconfig, at('/convert'));
}

const CONFIGURATIONS = [
  ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'],
  ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'],
] as const;

function readConfiguration(kind: string): Configuration {
  const documents = parseAllDocuments(readFileSync(MANIFESTS, 'utf8')).map(
    (document) => document.toJS() as Configuration,
  );
  const found = documents.find((document) => document.kind === kind);
  if (found === undefined) throw new Error(`${MANIFESTS} has no ${kind}`);
  return found;
}

/** Replaces the Service that the CRDs name. */
async function convertAt(kubeconfig: string, place: { readonly url: string }): Promise<void> {
  const kube = connectKube(kubeconfig);
  try {
    const clientConfig = { service: null, ...place };
    for (const name of convertedDefinitions)
      await kube.patch(definitionPath(name), { spec: { conversion: { webhook: { clientConfig } } } });
  } finally {
    await kube.close();
  }
}
