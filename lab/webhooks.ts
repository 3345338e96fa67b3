import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KubeConfig, type KubernetesObject } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import { applyObject } from './control-plane/custom-resources.ts';

const MANIFESTS = fileURLToPath(new URL('../deploy/kubernetes/webhooks.yaml', import.meta.url));

interface Configuration extends KubernetesObject {
  readonly webhooks: readonly { readonly clientConfig: { readonly service: { readonly path: string } } }[];
}

/** The lab itself takes the addresses of BMCs along when their port moved; everybody else is judged. */
const NOT_THE_LAB = {
  name: 'not-the-lab',
  expression:
    "request.operation != 'UPDATE' || !has(request.options.fieldManager) || request.options.fieldManager != 'temper-lab'",
};

/**
 * Has the API server ask the bridge on this port of loopback. Unlike a cluster's, writes pass while the bridge is
 * down: in a lab it is ended on purpose.
 */
export async function registerWebhooks(kubeconfig: string, port: number): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const configuration = readConfiguration();
  const webhooks = configuration.webhooks.map((webhook) => ({
    ...webhook,
    clientConfig: { url: `https://127.0.0.1:${port}${webhook.clientConfig.service.path}` },
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
    matchConditions: [NOT_THE_LAB],
  }));
  const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${configuration.metadata?.name ?? ''}`;
  await applyObject(config, path, { ...configuration, webhooks } as KubernetesObject);
}

function readConfiguration(): Configuration {
  const documents = parseAllDocuments(readFileSync(MANIFESTS, 'utf8')).map(
    (document) => document.toJS() as Configuration,
  );
  const found = documents.find(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  if (found === undefined) throw new Error(`there is no ValidatingWebhookConfiguration in ${MANIFESTS}`);
  return found;
}
