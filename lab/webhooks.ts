import { fileURLToPath } from 'node:url';
import { convertedDefinitions } from '../api/crds.ts';
import { definitionPath } from '../kube/paths.ts';
import { readManifestFile } from './control-plane/manifest.ts';
import { withKube } from './control-plane/objects.ts';
import { applyWebhooks, isWebhookConfiguration } from './control-plane/webhook-configuration.ts';

const MANIFESTS = fileURLToPath(new URL('../deploy/kubernetes/webhooks.yaml', import.meta.url));

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
  const at = (path: string) => ({ url: `https://127.0.0.1:${port}${path}` });
  await withKube(kubeconfig, async (kube) => {
    for (const configuration of readManifestFile(MANIFESTS).filter(isWebhookConfiguration)) {
      await applyWebhooks(kube, configuration, ({ service }) => ({
        clientConfig: at(service.path),
        failurePolicy: 'Ignore',
        timeoutSeconds: 5,
        matchConditions: [NOT_THE_LAB],
        namespaceSelector: ADMITTED_NAMESPACES,
      }));
    }
    // Instead of the Service that the CRDs name.
    const clientConfig = { service: null, ...at('/convert') };
    for (const name of convertedDefinitions)
      await kube.patch(definitionPath(name), { spec: { conversion: { webhook: { clientConfig } } } });
  });
}
