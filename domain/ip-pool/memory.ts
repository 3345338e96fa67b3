import { areComparable } from '../entity/seen.ts';
import { only } from '../only.ts';
import { parseAddress } from './address.ts';
import type { AddressRef, PoolSnapshot } from './snapshot.ts';
import { takenOf, unpacked } from './taken.ts';

/** A failed attempt at one task. */
export interface Trouble {
  readonly message: string;
  readonly times: number;
  /** Not before this time, in ms since the epoch. */
  readonly until: number;
}

/** An address whose IPAddress the bridge has not seen yet. */
export interface GivenAddress extends AddressRef {
  /** Uid of the claim. */
  readonly uid: string;
  /** ms since the epoch. */
  readonly at: number;
}

export interface PoolMemory {
  readonly version: 1;
  readonly seen: PoolSnapshot;
  readonly given: readonly GivenAddress[];
  /** Addresses whose IPAddress belongs to somebody else; forgotten with the next snapshot. */
  readonly refused: readonly string[];
  /**
   * Work that is done but not yet visible in a snapshot, by uid of the claim or by name of a loose address: what was
   * done, or the message that the claim shows now.
   */
  readonly done: Readonly<Record<string, 'given' | 'released' | { readonly told: string }>>;
  /** By uid of the claim or by name of a loose address; that of the pool's own labels by `LINK`. */
  readonly troubles: Readonly<Record<string, Trouble>>;
  /** Version of the pool when it was linked to its Cluster, until a snapshot shows it. */
  readonly linkedAt?: string;
}

export const LINK = 'link';

/**
 * So long is an address kept that was given and is not seen. Its IPAddress exists, so even after that it can't be given a
 * second time; the limit is for one that somebody removed by force before the bridge saw it.
 */
const UNSEEN_MS = 600_000;

export const begin = (seen: PoolSnapshot): PoolMemory => ({
  version: 1,
  seen,
  given: [],
  refused: [],
  done: {},
  troubles: {},
});

/** Forgets what the snapshot shows by now. Work that was done before etcd was restored may be lost, and is repeated. */
export function absorb(memory: PoolMemory, seen: PoolSnapshot): PoolMemory {
  const inUse = takenOf(unpacked(seen.inUse));
  const keys = new Set([LINK, ...seen.claims.map(({ uid }) => uid), ...seen.loose.map(({ name }) => name)]);
  const isSame = areComparable(memory.seen, seen);
  const { linkedAt, ...rest } = memory;
  return {
    ...rest,
    seen,
    refused: [],
    given: isSame ? memory.given.filter(({ address }) => !inUse.has(parseAddress(address) ?? -1n)) : [],
    done: isSame ? only(memory.done, keys) : {},
    troubles: only(memory.troubles, keys),
    ...(linkedAt !== undefined && isSame && seen.cluster?.isLinked === false && { linkedAt }),
  };
}

/** Without those that were never seen. */
export const stillGiven = (given: readonly GivenAddress[], now: number): readonly GivenAddress[] =>
  given.filter(({ at }) => now - at < UNSEEN_MS);
