import { settle } from '../../../domain/entity/conditions.ts';
import type { Condition } from '../../../domain/entity/view.ts';
import type { RefusalReason } from '../../../domain/ip-pool/allocate.ts';
import { ADDRESS_FINALIZERS, type ClaimKind } from '../../../domain/ip-pool/names.ts';
import type { ClaimRef } from '../../../domain/ip-pool/snapshot.ts';
import { isNotFound, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { type FollowedKind, KINDS } from '../../../kube/kinds.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { conditionsOf } from '../../../kube/objects/conditions.ts';
import { type PoolClaim, readPoolClaim } from '../../../kube/objects/ip-pool.ts';
import { objectPath } from '../../../kube/paths.ts';
import { dropFinalizer } from '../secrets.ts';

/** The resources of both kinds of claims, and of their IPAddresses. */
export const ADDRESS_KINDS = {
  IPClaim: { claim: KINDS.ipClaim, address: KINDS.ipAddress },
  IPAddressClaim: { claim: KINDS.ipAddressClaim, address: KINDS.clusterIpAddress },
} as const satisfies Readonly<Record<ClaimKind, { readonly claim: FollowedKind; readonly address: FollowedKind }>>;

const pathOf = (kind: ClaimKind, { namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  objectPath(ADDRESS_KINDS[kind].claim, { namespace, name });

/** undefined when it is gone or, with a uid, has been recreated. */
export async function findClaim(
  kube: Kube,
  namespace: string,
  { kind, name, uid }: Omit<ClaimRef, 'uid'> & { readonly uid?: string },
): Promise<PoolClaim | undefined> {
  const found = await kube.find(pathOf(kind, { namespace, name }));
  if (found === undefined) return undefined;
  const claim = readPoolClaim[kind](found);
  return uid === undefined || claim.metadata.uid === uid ? claim : undefined;
}

/**
 * Adds the finalizer to the claim, so that it exists until its address is released; undefined when it is gone or is being
 * deleted.
 */
export const holdClaim = (kube: Kube, namespace: string, ref: ClaimRef): Promise<PoolClaim | undefined> =>
  whileContended(async () => {
    const claim = await findClaim(kube, namespace, ref);
    if (claim === undefined || claim.facts.deleting) return undefined;
    if (claim.facts.held) return claim;
    const { resourceVersion, finalizers } = claim.metadata;
    const metadata = { resourceVersion, finalizers: [...finalizers, ADDRESS_FINALIZERS[ref.kind].claim] };
    try {
      return readPoolClaim[ref.kind](await kube.patch(pathOf(ref.kind, claim.metadata), { metadata }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  });

export const dropOurs = (kube: Kube, { metadata, facts: { kind } }: PoolClaim): Promise<void> =>
  dropFinalizer(kube, pathOf(kind, metadata), ADDRESS_FINALIZERS[kind].claim);

/** Deletes an IPAddress without waiting for anybody. */
export async function removeAddress(kube: Kube, namespace: string, kind: ClaimKind, name: string): Promise<void> {
  const path = objectPath(ADDRESS_KINDS[kind].address, { namespace, name });
  await dropFinalizer(kube, path, ADDRESS_FINALIZERS[kind].address);
  try {
    await kube.request({ method: 'DELETE', path });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The bridge only writes the status of objects with their own workflow; a claim has none. */
export async function showAddress(kube: Kube, claim: PoolClaim, address: string): Promise<void> {
  const { kind } = claim.facts;
  const { namespace } = claim.metadata;
  if (kind === 'IPClaim') {
    await writeStatus(kube, claim, { address: { name: address, namespace }, errorMessage: null });
    return;
  }
  // Upstream leaves the reason empty, which the API server refuses.
  const ready: Condition = { type: 'Ready', status: 'True', reason: 'Allocated', message: '' };
  await writeConditions(kube, claim, ready, { addressRef: { name: address } });
}

/** Shows why the claim has no address. */
export async function showRefusal(kube: Kube, claim: PoolClaim, reason: RefusalReason, message: string): Promise<void> {
  if (claim.facts.kind === 'IPClaim') {
    await writeStatus(kube, claim, { errorMessage: message });
    return;
  }
  await writeConditions(kube, claim, { type: 'Ready', status: 'False', reason, message }, {});
}

/** Conditions of others are kept, so they are read anew. */
const writeConditions = (kube: Kube, claim: PoolClaim, ready: Condition, rest: object): Promise<void> =>
  whileContended(async () => {
    const { kind } = claim.facts;
    const found = await kube.find(pathOf(kind, claim.metadata));
    if (found === undefined) return;
    const { metadata, status } = readObject(found);
    const { uid, resourceVersion, generation } = metadata;
    if (uid !== claim.metadata.uid) return;
    const conditions = settle([ready], conditionsOf(status), generation, Date.now());
    await writeStatus(kube, claim, { ...rest, conditions }, { resourceVersion });
  });

/** The uid keeps the status from a claim that has been recreated. */
async function writeStatus(
  kube: Kube,
  { metadata, facts }: PoolClaim,
  status: object,
  version: object = {},
): Promise<void> {
  try {
    const { uid } = metadata;
    await kube.patch(`${pathOf(facts.kind, metadata)}/status`, { metadata: { uid, ...version }, status });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
