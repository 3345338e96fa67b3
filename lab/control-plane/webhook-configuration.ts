import { z } from 'zod';
import type { Kube } from '../../kube/client.ts';
import type { Manifest } from './manifest.ts';
import { applyObject } from './objects.ts';

const CONFIGURATIONS = {
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
} as const;

/** The webhooks of one kind that an API server calls. */
export interface WebhookConfiguration extends Manifest {
  readonly kind: keyof typeof CONFIGURATIONS;
  readonly webhooks: readonly Webhook[];
}

export interface Webhook {
  readonly name: string;
  readonly clientConfig: ServiceClient;
  readonly matchConditions?: readonly object[];
}

export interface ServiceClient {
  readonly service: { readonly path: string };
}

export const isWebhookConfiguration = (object: Manifest): object is WebhookConfiguration =>
  Object.hasOwn(CONFIGURATIONS, object.kind);

/** Registers webhooks with what `change` makes of each, such as a URL instead of a Service. */
export async function applyWebhooks(
  kube: Kube,
  { webhooks, ...rest }: WebhookConfiguration,
  change: (webhook: Webhook) => object,
): Promise<void> {
  const changed = webhooks.map((webhook) => ({ ...webhook, ...change(webhook) }));
  await applyObject(kube, pathOf(rest), { ...rest, webhooks: changed });
}

/** Removes the webhooks if they have URLs, as in a lab, and not a Service, as in a cluster. */
export async function removeLocalWebhooks(kube: Kube, { kind, metadata }: WebhookConfiguration): Promise<void> {
  const path = pathOf({ kind, metadata });
  const found = withUrls.safeParse(await kube.find(path));
  if (found.success) await kube.request({ method: 'DELETE', path });
}

const withUrls = z.object({ webhooks: z.array(z.object({ clientConfig: z.object({ url: z.string() }) })) });

const pathOf = ({ kind, metadata }: Pick<WebhookConfiguration, 'kind' | 'metadata'>): string =>
  `/apis/admissionregistration.k8s.io/v1/${CONFIGURATIONS[kind]}/${metadata.name}`;
