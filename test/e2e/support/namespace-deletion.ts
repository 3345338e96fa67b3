import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { collectionPath } from '../../../kube/paths.ts';
import { KINDS } from './kinds.ts';
import { NAMESPACE } from './place/namespace.ts';

/** The namespace controller retries every 8 s while finalizers are left, and less often on a busy computer. */
const PATIENCE = { timeout: 600_000, interval: 500 };

const METAL3 = 'metal3.io/v1alpha1';
const LISTED = [
  { apiVersion: METAL3, plural: 'baremetalhosts' },
  { apiVersion: METAL3, plural: 'hardwaredata' },
  { apiVersion: METAL3, plural: 'preprovisioningimages' },
  { apiVersion: 'v1', plural: 'secrets' },
  ...Object.values(KINDS),
];

const objects = z.object({
  items: z.array(
    z.looseObject({
      metadata: z.looseObject({ name: z.string(), finalizers: z.array(z.string()).default([]) }),
      status: z.unknown().optional(),
    }),
  ),
});

/** What is left in the namespace of the file, with its status. */
async function remaining(kube: Kube): Promise<readonly string[]> {
  const lists = await Promise.all(
    LISTED.map(async (kind) => {
      const answer = await kube.find(collectionPath(kind, NAMESPACE));
      const { items } = objects.parse(answer ?? { items: [] });
      return items.map(({ metadata: { name, finalizers }, status }) =>
        [kind.plural, name, finalizers.join(' '), JSON.stringify(status ?? {})].join(' '),
      );
    }),
  );
  return lists.flat();
}

/** Hosts that people hold back keep their namespace until they let them go. */
export interface HeldBack {
  readonly hosts: readonly string[];
  letGo(): Promise<unknown>;
}

/**
 * Deletes the namespace of the file and waits until it is gone; the error shows what is left. `heldBack` are let go when
 * no other host is left.
 */
export async function deletedWithAll(
  { kube }: { readonly kube: Kube },
  heldBack: HeldBack = { hosts: [], letGo: () => Promise.resolve() },
): Promise<void> {
  const path = `/api/v1/namespaces/${NAMESPACE}`;
  await kube.request({ method: 'DELETE', path });
  await vi.waitFor(async () => {
    const { items } = objects.parse(await kube.request({ path: collectionPath(KINDS.host, NAMESPACE) }));
    expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(heldBack.hosts.toSorted());
  }, PATIENCE);
  await heldBack.letGo();
  await vi.waitFor(async () => {
    const left = (await kube.find(path)) === undefined ? [] : ['the namespace', ...(await remaining(kube))];
    expect(left).toEqual([]);
  }, PATIENCE);
}
