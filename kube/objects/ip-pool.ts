import { z } from 'zod';
import { ADDRESS_FINALIZERS } from '../../api/ipam/kind.ts';
import { ipPoolSpec } from '../../api/ipam/schema.ts';
import { maybe, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { CLUSTER_LABELS, groupOf } from '../../domain/cluster-api/names.ts';
import { parseAddress } from '../../domain/ip-pool/address.ts';
import { type ClaimKind, PROVIDER_LABEL, REQUESTED_ADDRESS } from '../../domain/ip-pool/names.ts';
import type { AddressFacts, ClaimFacts } from '../../domain/ip-pool/survey.ts';
import { KINDS } from '../kinds.ts';
import { once } from '../once.ts';
import { type Metadata, metadata, ownerOf } from './metadata.ts';

const pool = z.object({ metadata, spec: ipPoolSpec });

/** An IPPool without its status, which can be long. */
export const readIpPool = once((object) => pool.safeParse(object));
export type IpPoolRead = z.infer<typeof pool>;

/** True when a pool has the labels of its Cluster and, where that exists, names it as an owner. */
export const isLinkedTo = (meta: Metadata, cluster: string, exists: boolean): boolean =>
  meta.labels[CLUSTER_LABELS.clusterName] === cluster &&
  meta.labels[PROVIDER_LABEL.key] === PROVIDER_LABEL.value &&
  (!exists || ownerOf(meta, KINDS.cluster, cluster) !== undefined);

const named = z.object({ name: maybeText, namespace: maybeText, kind: maybeText, apiGroup: maybeText }).catch({});
const maybeNamed = maybe(named);

const claim = z.object({
  metadata,
  spec: orEmpty({ pool: maybeNamed, poolRef: maybeNamed }),
  status: orEmpty({
    address: maybeNamed,
    addressRef: maybeNamed,
    errorMessage: maybeText,
    conditions: z.array(z.looseObject({ type: z.string(), reason: maybeText, message: maybeText })).catch([]),
  }),
});

/**
 * What a claim of either kind asks for. `pool` is undefined for a claim of another kind of pool, or in another
 * namespace.
 */
export interface PoolClaim {
  readonly metadata: Metadata;
  readonly pool: string | undefined;
  readonly facts: ClaimFacts;
}

const claimReader = (kind: ClaimKind): ((object: unknown) => PoolClaim) =>
  once((object): PoolClaim => {
    const { metadata: meta, spec, status } = claim.parse(object);
    const ours = ADDRESS_FINALIZERS[kind].claim;
    const requested = meta.annotations[REQUESTED_ADDRESS];
    const shown = (kind === 'IPClaim' ? status.address : status.addressRef)?.name;
    const error = kind === 'IPClaim' ? status.errorMessage : refusalIn(status.conditions);
    return {
      metadata: meta,
      pool: kind === 'IPClaim' ? ownPool(spec.pool, meta.namespace) : contractPool(spec.poolRef),
      facts: {
        kind,
        name: meta.name,
        uid: meta.uid,
        creationTimestamp: meta.creationTimestamp,
        deleting: meta.deletionTimestamp !== undefined,
        held: meta.finalizers.includes(ours),
        heldByOthers: meta.finalizers.some((each) => each !== ours),
        ...(requested && { requested }),
        ...(shown && { shown }),
        ...(error && { error }),
      },
    };
  });

type Named = z.infer<typeof named>;

const ownPool = (reference: Named | undefined, namespace: string): string | undefined =>
  reference?.namespace === undefined || reference.namespace === '' || reference.namespace === namespace
    ? reference?.name
    : undefined;

const contractPool = ({ name, kind, apiGroup }: Named = {}): string | undefined =>
  kind === KINDS.ipPool.kind && apiGroup === groupOf(KINDS.ipPool.apiVersion) ? name : undefined;

const refusalIn = (conditions: z.infer<typeof claim>['status']['conditions']): string | undefined =>
  conditions.find(
    ({ type, reason }) => type === 'Ready' && (reason === 'AllocationFailed' || reason === 'PoolExhausted'),
  )?.message;

/** The readers of both kinds of claims. */
export const readPoolClaim = {
  IPClaim: claimReader('IPClaim'),
  IPAddressClaim: claimReader('IPAddressClaim'),
} as const;

const address = z.object({
  metadata,
  spec: z.object({
    address: z.string(),
    claim: maybeNamed,
    claimRef: maybeNamed,
    pool: maybeNamed,
    poolRef: maybeNamed,
  }),
});

/** An IPAddress of either group; undefined when it has no address that can be read. */
export interface PoolAddressRead {
  readonly metadata: Metadata;
  readonly pool: string | undefined;
  readonly facts: AddressFacts;
}

const addressReader = (kind: ClaimKind): ((object: unknown) => PoolAddressRead | undefined) =>
  once((object) => {
    const { metadata: meta, spec } = address.parse(object);
    const value = parseAddress(spec.address);
    if (value === undefined) return undefined;
    return {
      metadata: meta,
      pool: kind === 'IPClaim' ? ownPool(spec.pool, meta.namespace) : contractPool(spec.poolRef),
      facts: {
        kind,
        claim: (kind === 'IPClaim' ? spec.claim : spec.claimRef)?.name ?? '',
        name: meta.name,
        address: value,
        deleting: meta.deletionTimestamp !== undefined,
        held: meta.finalizers.includes(ADDRESS_FINALIZERS[kind].address),
      },
    };
  });

/** The readers of the IPAddresses for both kinds of claims. */
export const readPoolAddress = {
  IPClaim: addressReader('IPClaim'),
  IPAddressClaim: addressReader('IPAddressClaim'),
} as const;
