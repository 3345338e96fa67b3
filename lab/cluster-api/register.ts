import { readFileSync } from 'node:fs';
import { KubeConfig, type KubernetesObject } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import { applyAllCrds, applyObject } from '../control-plane/custom-resources.ts';

interface ServiceClient {
  readonly service: { readonly path: string };
}

interface Crd extends KubernetesObject {
  readonly spec: {
    readonly conversion?: { readonly webhook?: { readonly clientConfig: ServiceClient } };
  };
}

interface Webhooks extends KubernetesObject {
  readonly webhooks: readonly { readonly clientConfig: ServiceClient }[];
}

/** The address and CA of the webhooks of one manager. */
export interface WebhookServer {
  readonly port: number;
  readonly ca: string;
}

const CONFIGURATIONS = {
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
} as const;

/**
 * Applies the released CRDs and webhooks of a manager, with addresses instead of Services. Returns when the CRDs are
 * served; until the manager runs, writes of its kinds are refused.
 */
export async function registerComponents(
  kubeconfig: string,
  manifests: string,
  server: WebhookServer,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const objects = parseAllDocuments(readFileSync(manifests, 'utf8')).map(
    (document) => document.toJS() as KubernetesObject | null,
  );
  const crds = objects.filter((object): object is Crd => object?.kind === 'CustomResourceDefinition');
  const names = await applyAllCrds(
    kubeconfig,
    crds.map((crd) => withAddress(crd, server)),
    signal,
  );
  for (const object of objects) {
    const plural = CONFIGURATIONS[object?.kind as keyof typeof CONFIGURATIONS];
    if (plural === undefined) continue;
    const { webhooks, ...rest } = object as Webhooks;
    const addressed = webhooks.map((webhook) => ({
      ...webhook,
      clientConfig: addressOf(webhook.clientConfig, server),
    }));
    const path = `/apis/admissionregistration.k8s.io/v1/${plural}/${rest.metadata?.name ?? ''}`;
    await applyObject(config, path, { ...rest, webhooks: addressed } as KubernetesObject);
  }
  return names;
}

function withAddress(crd: Crd, server: WebhookServer): KubernetesObject {
  const { conversion } = crd.spec;
  if (conversion?.webhook === undefined) return crd;
  const clientConfig = addressOf(conversion.webhook.clientConfig, server);
  const spec = { ...crd.spec, conversion: { ...conversion, webhook: { ...conversion.webhook, clientConfig } } };
  return { ...crd, spec } as KubernetesObject;
}

const addressOf = ({ service }: ServiceClient, { port, ca }: WebhookServer): object => ({
  url: `https://127.0.0.1:${port}${service.path}`,
  caBundle: Buffer.from(ca).toString('base64'),
});
