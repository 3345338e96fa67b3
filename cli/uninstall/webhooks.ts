import { z } from 'zod';
import type { Kube } from '../../kube/client.ts';
import { listAll } from '../../kube/list-all.ts';
import { metadata } from '../../kube/objects/metadata.ts';
import { webhookConfigurationPath } from '../../kube/paths.ts';
import { remove } from '../../kube/remove.ts';

export interface WebhooksOfNamespace {
  readonly verb: 'validating' | 'mutating';
  readonly name: string;
}

const configuration = z.object({
  metadata,
  webhooks: z
    .array(z.object({ clientConfig: z.object({ service: z.object({ namespace: z.string() }).optional() }) }))
    .catch([]),
});

/** The configurations all of whose webhooks ask a Service in this namespace. */
export async function webhooksServedIn(kube: Kube, namespace: string): Promise<readonly WebhooksOfNamespace[]> {
  const found: WebhooksOfNamespace[] = [];
  for (const verb of ['validating', 'mutating'] as const) {
    for (const object of await listAll(kube, webhookConfigurationPath(undefined, verb))) {
      const { metadata: meta, webhooks } = configuration.parse(object);
      const isServed = webhooks.every(({ clientConfig }) => clientConfig.service?.namespace === namespace);
      if (webhooks.length > 0 && isServed) found.push({ verb, name: meta.name });
    }
  }
  return found;
}

export const removeWebhooks = (kube: Kube, { verb, name }: WebhooksOfNamespace): Promise<void> =>
  remove(kube, webhookConfigurationPath(name, verb));
