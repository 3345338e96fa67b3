import { ADDRESS_FINALIZERS } from '../../../api/ipam/kind.ts';
import { settle } from '../../../domain/entity/conditions.ts';
import type { ObjectRef } from '../../../domain/entity/object-ref.ts';
import type { Condition } from '../../../domain/entity/view.ts';
import type { RefusalReason } from '../../../domain/ip-pool/allocate.ts';
import { type ClaimKind } from '../../../domain/ip-pool/names.ts';
import type { ClaimRef } from '../../../domain/ip-pool/snapshot.ts';
import type { Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { type FollowedKind, KINDS } from '../../../kube/kinds.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { conditionsOf } from '../../../kube/objects/conditions.ts';
import { type PoolAddressRead, type PoolClaim, readPoolClaim } from '../../../kube/objects/ip-pool.ts';
import { objectPath } from '../../../kube/paths.ts';
import { remove } from '../../../kube/remove.ts';
import { dropClaim, findClaim as find, type HeldKind, holdClaim as hold, showOnClaim } from '../claims.ts';
import { dropFinalizer } from '../secrets.ts';

/** The resources of both kinds of claims, and of their IPAddresses. */
export const ADDRESS_KINDS = {
  IPClaim: { claim: KINDS.ipClaim, address: KINDS.ipAddress },
  IPAddressClaim: { claim: KINDS.ipAddressClaim, address: KINDS.clusterIpAddress },
} as const satisfies Readonly<Record<ClaimKind, { readonly claim: FollowedKind; readonly address: FollowedKind }>>;

const heldKind = (kind: ClaimKind): HeldKind<PoolClaim> => ({
  resource: ADDRESS_KINDS[kind].claim,
  finalizer: ADDRESS_FINALIZERS[kind].claim,
  read: readPoolClaim[kind],
});

export const findAddressClaim = (
  kube: Kube,
  namespace: string,
  { kind, ...ref }: Omit<ClaimRef, 'uid'> & { readonly uid?: string },
): Promise<PoolClaim | undefined> => find(kube, heldKind(kind), { namespace, ...ref });

/** undefined, too, when the claim asks for an address from another pool, or is not accepted. */
export const holdAddressClaim = (
  kube: Kube,
  { namespace, name }: ObjectRef,
  { kind, ...ref }: ClaimRef,
  accepts: (facts: PoolClaim['facts']) => boolean = () => true,
): Promise<PoolClaim | undefined> =>
  hold(kube, heldKind(kind), { namespace, ...ref }, ({ pool, facts }) => pool === name && accepts(facts));

export const dropOurs = (kube: Kube, claim: PoolClaim): Promise<void> =>
  dropClaim(kube, heldKind(claim.facts.kind), claim);

/** Deletes an IPAddress without waiting for anybody. */
export async function removeAddress(kube: Kube, kind: ClaimKind, { metadata }: PoolAddressRead): Promise<void> {
  const path = objectPath(ADDRESS_KINDS[kind].address, metadata);
  await dropFinalizer(kube, path, ADDRESS_FINALIZERS[kind].address, metadata.uid);
  await remove(kube, path, metadata.uid);
}

export const showAddress = (kube: Kube, claim: PoolClaim, address: string): Promise<void> =>
  claim.facts.kind === 'IPClaim'
    ? showOnClaim(kube, heldKind('IPClaim'), claim, {
        address: { name: address, namespace: claim.metadata.namespace },
        errorMessage: null,
      })
    : // Upstream leaves the reason empty, which the API server refuses.
      writeReady(kube, claim, { status: 'True', reason: 'Allocated', message: '' }, { addressRef: { name: address } });

/** Shows why the claim has no address. */
export const showRefusal = (kube: Kube, claim: PoolClaim, reason: RefusalReason, message: string): Promise<void> =>
  claim.facts.kind === 'IPClaim'
    ? showOnClaim(kube, heldKind('IPClaim'), claim, { errorMessage: message })
    : writeReady(kube, claim, { status: 'False', reason, message }, {});

/** Conditions of others are kept, so they are read anew. */
const writeReady = (kube: Kube, claim: PoolClaim, ready: Omit<Condition, 'type'>, rest: object): Promise<void> =>
  whileContended(async () => {
    const kind = heldKind(claim.facts.kind);
    const found = await kube.find(objectPath(kind.resource, claim.metadata));
    if (found === undefined) return;
    const { metadata, status } = readObject(found);
    const { uid, generation } = metadata;
    if (uid !== claim.metadata.uid) return;
    const conditions = settle([{ type: 'Ready', ...ready }], conditionsOf(status), generation, Date.now());
    await showOnClaim(kube, kind, { metadata }, { ...rest, conditions });
  });
