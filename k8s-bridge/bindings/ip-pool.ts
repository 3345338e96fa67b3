import { POOL_FINALIZER } from '../../api/ipam/kind.ts';
import { ageOf } from '../../domain/clock.ts';
import { isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import { identityOf } from '../../domain/entity/seen.ts';
import { addressText, parseAddress } from '../../domain/ip-pool/address.ts';
import { prefixInName } from '../../domain/ip-pool/names.ts';
import type { PoolCluster, PoolSnapshot } from '../../domain/ip-pool/snapshot.ts';
import { type AddressFacts, type ClaimFacts, survey } from '../../domain/ip-pool/survey.ts';
import { byName } from '../../kube/by-name.ts';
import { listInstalled } from '../../kube/installed.ts';
import { isSameKind, KINDS } from '../../kube/kinds.ts';
import { readObject, type Writable } from '../../kube/objects/any-object.ts';
import { isClusterPaused } from '../../kube/objects/cluster.ts';
import { type IpPoolRead, isLinkedTo, readIpPool, readPoolAddress, readPoolClaim } from '../../kube/objects/ip-pool.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import {
  type Binding,
  CLUSTER_API_EVENTS,
  type Completed,
  type LeaveOrder,
  type ReconcilingLater,
  zodProblems,
} from '../binding.ts';

/** The kinds of claims and of their IPAddresses, with their indexes. */
export const CLAIMS = (
  [
    { kind: 'IPClaim', claim: KINDS.ipClaim, address: KINDS.ipAddress },
    { kind: 'IPAddressClaim', claim: KINDS.ipAddressClaim, address: KINDS.clusterIpAddress },
  ] as const
).map(({ kind, claim, address }) => ({
  kind,
  claim,
  address,
  claimsByPool: byName(claim, ({ object }) => readPoolClaim[kind](object).pool || undefined),
  addressesByPool: byName(address, ({ object }) => readPoolAddress[kind](object)?.pool || undefined),
  /** By the prefix in their names. */
  addressesByPrefix: byName(address, ({ object }) => {
    const read = readPoolAddress[kind](object);
    return read && prefixInName(read.facts.name, read.facts.address);
  }),
}));

/** A status with 10,000 addresses is written every five seconds at most, one with ten at once. */
const PAUSE_PER_ADDRESS_MS = 0.5;

/** IPPools with what their claims and IPAddresses ask for. */
export const ipPoolBinding = ({ stores: all, lookLater, now }: ReconcilingLater): Binding => ({
  followed: KINDS.ipPool,
  finalizer: POOL_FINALIZER,
  related: [...CLAIMS.flatMap(({ claim, address }) => [claim, address]), KINDS.cluster],
  isOfMany: true,
  unreadableReason: 'InvalidIPPool',
  ...CLUSTER_API_EVENTS,

  *concerned(kind, entry, stores) {
    if (isSameKind(kind, KINDS.cluster)) {
      for (const pool of stores.having(poolsByCluster, keyOf(entry))) yield keyOf(pool);
      return;
    }
    for (const { claim, address, claimsByPool, addressesByPool, addressesByPrefix } of CLAIMS) {
      if (isSameKind(kind, claim)) yield* claimsByPool.keysOf(entry);
      if (!isSameKind(kind, address)) continue;
      yield* addressesByPool.keysOf(entry);
      for (const prefix of addressesByPrefix.keysOf(entry)) {
        for (const pool of stores.having(poolsByPrefix, prefix)) yield keyOf(pool);
      }
    }
  },

  observe(entry, stores) {
    const read = readIpPool(entry.object);
    if (!read.success) return { problems: zodProblems(read.error.issues) };
    const { metadata: meta, spec } = read.data;
    const { preAllocations = {}, ...rest } = spec;
    const key = keyOf(entry);
    const addresses = addressesOf(key, stores);
    const isDeleting = meta.deletionTimestamp !== undefined;
    const snapshot: PoolSnapshot = {
      ...identityOf(meta),
      paused: isPausedByAnnotation(meta),
      ...clusterOf(read.data, stores),
      ...survey({
        spec: rest,
        // A pool that is being deleted keeps no addresses for claims that do not exist yet.
        preAllocations: isDeleting ? {} : parsed(preAllocations),
        claims: claimsOf(key, stores),
        addresses,
        foreign: foreignTo(entry, spec.namePrefix, stores),
      }),
    };
    return snapshot;
  },

  essence(snapshot) {
    const { resourceVersion: _, generation: __, inUse, addresses, ...rest } = snapshot as PoolSnapshot;
    // A claim that waits for an address may be tried again at any time, and must not get one that was taken meanwhile.
    const isGiving = rest.claims.some(({ deleting }) => !deleting);
    return { ...rest, ...(isGiving && { inUse }), ...(rest.deletionTimestamp !== undefined && { addresses }) };
  },

  complete({ view, object }): Promise<Completed> {
    const withIndexes = (shown: NonNullable<typeof view.shown.status>) => {
      const indexes = indexesOf(addressesOf(keyOf(view), all));
      return { ...shown, ...(hasSome(indexes) && { indexes }) };
    };
    // The bridge leaves the pool's status unchanged when the view has none.
    const status = view.shown.status === undefined ? object.status : withIndexes(view.shown.status);
    return Promise.resolve({ status });
  },

  isStale(entry, written, stores) {
    if (isLeftAlone(entry, stores)) return false;
    const addresses = addressesOf(keyOf(entry), stores);
    if (shows(readObject(entry.object), indexesOf(addresses))) return false;
    const restMs = addresses.length * PAUSE_PER_ADDRESS_MS - ageOf(written.at, now());
    if (restMs > 0) lookLater(KINDS.ipPool.kind, keyOf(entry), restMs);
    return restMs <= 0;
  },

  hindranceToLeave,
});

const parsed = (texts: Readonly<Record<string, string>>): Parameters<typeof survey>[0]['preAllocations'] =>
  Object.fromEntries(Object.entries(texts).map(([claim, text]) => [claim, { text, address: parseAddress(text) }]));

const poolsByCluster = byName(KINDS.ipPool, ({ object }) => readIpPool(object).data?.spec.clusterName || undefined);
const poolsByPrefix = byName(KINDS.ipPool, ({ object }) => readIpPool(object).data?.spec.namePrefix);

const claimsOf = (pool: string, stores: Stores): readonly ClaimFacts[] =>
  CLAIMS.flatMap(({ kind, claimsByPool }) =>
    [...stores.having(claimsByPool, pool)].map(({ object }) => readPoolClaim[kind](object).facts),
  );

const addressesOf = (pool: string, stores: Stores): readonly AddressFacts[] =>
  CLAIMS.flatMap(({ kind, addressesByPool }) =>
    [...stores.having(addressesByPool, pool)].flatMap(({ object }) => readPoolAddress[kind](object)?.facts ?? []),
  );

/** Addresses of IPAddresses that other pools have given the names that this pool would give. */
function* foreignTo({ namespace, name }: Entry, namePrefix: string, stores: Stores): Iterable<bigint> {
  for (const { kind, addressesByPrefix } of CLAIMS) {
    for (const { object } of stores.having(addressesByPrefix, keyOf({ namespace, name: namePrefix }))) {
      const read = readPoolAddress[kind](object);
      if (read !== undefined && read.pool !== name) yield read.facts.address;
    }
  }
}

function clusterOf({ metadata: meta, spec }: IpPoolRead, stores: Stores): { readonly cluster?: PoolCluster } {
  const { clusterName: name = '' } = spec;
  if (name === '') return {};
  const found = stores.get(KINDS.cluster, keyOf({ namespace: meta.namespace, name }));
  const isLinked = isLinkedTo(meta, name, found !== undefined);
  const paused = found !== undefined && isClusterPaused(found.object);
  return { cluster: { name, ...(found !== undefined && { uid: found.uid }), paused, isLinked } };
}

/** True for a pool that is not written to: it or its Cluster is paused, or there is no such Cluster. */
function isLeftAlone({ object }: Entry, stores: Stores): boolean {
  const { data } = readIpPool(object);
  if (data === undefined || isPausedByAnnotation(data.metadata)) return true;
  const { cluster } = clusterOf(data, stores);
  return cluster !== undefined && (cluster.paused || cluster.uid === undefined);
}

/**
 * `status.indexes`: the addresses by the names of their claims. When an IPClaim and a claim of Cluster API have the
 * same name, the key of the second one ends with its kind.
 */
function indexesOf(addresses: readonly AddressFacts[]): Readonly<Record<string, string>> {
  const indexes: Record<string, string> = {};
  for (const { claim, kind, address } of addresses) {
    indexes[Object.hasOwn(indexes, claim) ? `${claim}/${kind}` : claim] = addressText(address);
  }
  return indexes;
}

const hasSome = (indexes: Readonly<Record<string, string>>): boolean => Object.keys(indexes).length > 0;

function shows({ status }: Writable, indexes: Readonly<Record<string, string>>): boolean {
  const shown = (status['indexes'] ?? {}) as Readonly<Record<string, unknown>>;
  const claims = Object.keys(indexes);
  return claims.length === Object.keys(shown).length && claims.every((claim) => shown[claim] === indexes[claim]);
}

/** Asks the API server, because the caches of a new bridge may be late. */
async function hindranceToLeave({ object, kube }: Pick<LeaveOrder, 'object' | 'kube'>): Promise<string | undefined> {
  const { namespace, name } = object.metadata;
  for (const { kind, address } of CLAIMS) {
    const all = await listInstalled(kube, address, namespace);
    const left = all.filter((each) => readPoolAddress[kind](each)?.pool === name).length;
    if (left > 0) return `${left} of its IPAddresses exist`;
  }
  return undefined;
}
