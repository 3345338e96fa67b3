import { expect, vi } from 'vitest';
import { isNotFound } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import type { AnyObject, openScene } from './scene.ts';

const MOVED = [KINDS.ipPool, KINDS.ipClaim, KINDS.ipAddress, KINDS.ipAddressClaim, KINDS.clusterIpAddress];

const GONE = { timeout: 600_000, interval: 250 };

async function unlessGone(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/**
 * Moves the objects whose names begin with the prefix, as `clusterctl move` does, to a Temporal that knows nothing:
 * owners get the new uids, and the old objects lose their finalizers. The Cluster stays.
 */
export async function movePools(
  scene: Awaited<ReturnType<typeof openScene>>,
  prefix: string,
  { metadata: { uid } }: Pick<AnyObject, 'metadata'>,
): Promise<void> {
  const found = await Promise.all(MOVED.map(async (kind) => ({ kind, objects: await scene.all(kind) })));
  const moved = found.map(({ kind, objects }) => ({
    kind,
    objects: objects.filter(({ metadata }) => metadata.name.startsWith(prefix)),
  }));
  for (const { kind, objects } of moved)
    for (const { metadata } of objects) {
      // What belongs to a claim may go with it.
      await unlessGone(scene.patch(kind, metadata.name, { metadata: { finalizers: null } }));
      await unlessGone(scene.remove(kind, metadata.name));
    }
  for (const { kind, objects } of moved)
    for (const { metadata } of objects)
      await vi.waitFor(async () => expect(await scene.read(kind, metadata.name)).toBeUndefined(), GONE);
  await scene.loseTemporal();
  const uids = new Map([[uid, uid]]);
  for (const { kind, objects } of moved)
    for (const { metadata, spec } of objects) {
      const { name, labels, annotations, finalizers } = metadata;
      const owners = (metadata.ownerReferences ?? []) as readonly { readonly uid: string }[];
      const ownerReferences = owners.map((owner) => ({ ...owner, uid: uids.get(owner.uid) ?? '' }));
      const made = await scene.create(kind, name, {
        metadata: { labels, annotations, finalizers, ownerReferences },
        spec,
      });
      uids.set(metadata.uid, made.metadata.uid);
    }
}
