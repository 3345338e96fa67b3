import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { rendered } from '../../test/builders/rendered.ts';

/** docs/operations/upgrade.md applies the objects in parts, by this label. */
const COMPONENT = 'app.kubernetes.io/component';
const object = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
});

describe.each(['self-managed', 'payload-encryption', 'machine-api'])('in the overlay %s', async (overlay) => {
  const objects = z.array(object).parse(await rendered(`kubernetes/overlays/${overlay}`));
  const partOf = (is: (kind: string) => boolean): ReadonlySet<string | undefined> =>
    new Set(objects.filter(({ kind }) => is(kind)).map(({ metadata }) => metadata.labels[COMPONENT]));
  const isWebhooks = (kind: string): boolean => kind.endsWith('WebhookConfiguration');

  test('Pods are applied after everything that runs nothing, those of the bridge after the others', () => {
    expect(partOf((kind) => kind === 'Deployment')).toEqual(new Set(['workers', 'bridge']));
  });

  test('webhooks are applied after the bridge, which has to answer them', () => {
    expect(partOf(isWebhooks)).toEqual(new Set(['webhooks']));
  });

  test('everything else is applied first, CRDs too', () => {
    expect(partOf((kind) => kind !== 'Deployment' && !isWebhooks(kind))).toEqual(new Set([undefined]));
    expect(objects.some(({ kind }) => kind === 'CustomResourceDefinition')).toBe(true);
  });
});
