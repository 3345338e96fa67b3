import { fileURLToPath } from 'node:url';
import { convertedDefinitions } from '../api/crds.ts';
import { messageOf } from '../domain/message-of.ts';
import type { Kube } from '../kube/client.ts';
import { definitionPath, hostCollection } from '../kube/paths.ts';
import { readManifestFile } from './control-plane/manifest.ts';
import { withKube } from './control-plane/objects.ts';
import { applyWebhooks, isWebhookConfiguration, removeLocalWebhooks } from './control-plane/webhook-configuration.ts';
import { until } from './supervisor/wait.ts';

const MANIFESTS = fileURLToPath(new URL('../deploy/kubernetes/base/webhooks.yaml', import.meta.url));

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
 * Registers the bridge on this loopback port as webhook of the API server. As in a cluster, writes are refused while
 * the bridge is down, and so are reads of a deprecated version.
 */
export async function registerWebhooks(kubeconfig: string, port: number): Promise<void> {
  const at = (path: string) => ({ url: `https://127.0.0.1:${port}${path}` });
  await withKube(kubeconfig, async (kube) => {
    for (const configuration of configurations()) {
      await applyWebhooks(kube, configuration, ({ clientConfig: { service }, matchConditions = [] }) => ({
        clientConfig: at(service.path),
        timeoutSeconds: 5,
        matchConditions: [...matchConditions, NOT_THE_LAB],
        namespaceSelector: ADMITTED_NAMESPACES,
      }));
    }
    // The URL replaces the Service that the CRDs name.
    const clientConfig = { service: null, ...at('/convert') };
    for (const name of convertedDefinitions)
      await kube.patch(definitionPath(name), { spec: { conversion: { webhook: { clientConfig } } } });
  });
}

/** Removes these webhooks from the API server. */
export const removeWebhooks = (kubeconfig: string): Promise<void> =>
  withKube(kubeconfig, async (kube) => {
    for (const configuration of configurations()) await removeLocalWebhooks(kube, configuration);
  });

const configurations = () => readManifestFile(MANIFESTS).filter(isWebhookConfiguration);

/**
 * Resolves when the API server calls the bridge. It learns of webhooks and of their CA a moment after they were
 * written; until then it would refuse the first hosts.
 */
export const webhooksAnswer = (kubeconfig: string, signal: AbortSignal): Promise<void> =>
  withKube(kubeconfig, (kube) => until('webhooks', () => refusesBadHost(kube), signal));

async function refusesBadHost(kube: Kube): Promise<void> {
  const body = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name: 'never-created' },
    spec: { online: false, disablePowerOff: true },
  };
  // No test turns admission off for this namespace.
  const path = hostCollection('kube-system');
  const said = await kube
    .request({ method: 'POST', path, query: { dryRun: 'All' }, body })
    .then(() => 'a host was accepted that breaks a rule', messageOf);
  if (!said.includes('admission webhook "baremetalhost.metal3.io" denied the request')) throw new Error(said);
}
