import type { AllocationMemory } from '../allocation/memory.ts';
import { areComparable } from '../entity/seen.ts';
import { only } from '../only.ts';
import { parseAddress } from './address.ts';
import type { AddressRef, PoolSnapshot } from './snapshot.ts';
import { addressSet, unpacked } from './taken.ts';

/** An address whose IPAddress the bridge has not seen yet. */
export interface GivenAddress extends AddressRef {
  /** Uid of the claim. */
  readonly uid: string;
  /** ms since the epoch. */
  readonly at: number;
}

/** What was done for a claim; or the message that it shows now. */
type Done = 'allocated' | 'released' | { readonly message: string };

/**
 * `refused` has the addresses whose IPAddress belongs to somebody else. A failure to write the pool's own labels is in
 * `troubles`, by the key `LINK`.
 */
export interface PoolMemory extends AllocationMemory<PoolSnapshot, GivenAddress, string, Done> {
  /** Version of the pool when it was linked to its Cluster, until a snapshot shows it. */
  readonly linkedAt?: string;
}

export const LINK = 'link';

/**
 * Given addresses that are kept when the snapshot does not say which ones are in use. Another one that is given a second
 * time is taken already: its IPAddress exists.
 */
const MOST_GIVEN = 250;

/** Forgets what the snapshot shows by now. Work that was done before etcd was restored may be lost, and is repeated. */
export function absorb(memory: PoolMemory, seen: PoolSnapshot): PoolMemory {
  const inUse = addressSet(unpacked(seen.inUse));
  const keys = new Set([LINK, ...seen.claims.map(({ uid }) => uid), ...seen.loose.map(({ name }) => name)]);
  const isSame = areComparable(memory.seen, seen);
  const { linkedAt, ...rest } = memory;
  return {
    ...rest,
    seen,
    refused: [],
    allocated: isSame
      ? memory.allocated
          .filter(({ address }) => !inUse.has(parseAddress(address) ?? -1n))
          .slice(seen.isPart ? -MOST_GIVEN : 0)
      : [],
    done: isSame ? only(memory.done, keys) : {},
    troubles: only(memory.troubles, keys),
    ...(linkedAt !== undefined && isSame && seen.cluster?.isLinked === false && { linkedAt }),
  };
}
