import { areComparable } from '../entity/seen.ts';
import { only } from '../only.ts';
import type { AssignedIndex } from './allocate.ts';
import type { TemplateSnapshot } from './snapshot.ts';

/** A failed attempt to do a task for a claim. */
export interface FailedClaim {
  readonly message: string;
  readonly times: number;
  /** Not before this time, in ms since the epoch. */
  readonly until: number;
}

export interface TemplateMemory {
  readonly version: 1;
  readonly seen: TemplateSnapshot;
  /** Assigned indexes whose Metal3Data the bridge has not seen yet. */
  readonly given: readonly AssignedIndex[];
  /** Indexes whose names belong to unknown Metal3Data; forgotten with the next snapshot. */
  readonly refused: readonly number[];
  /**
   * Work that is done but not yet visible in a snapshot: by uid of the claim, or by name of a Metal3Data without a
   * claim.
   */
  readonly done: Readonly<Record<string, 'given' | 'released' | 'told'>>;
  /** By uid of the claim. */
  readonly troubles: Readonly<Record<string, FailedClaim>>;
  /** Of a run that began when a paused template was still written to. */
  readonly showsPaused?: true;
}

export const begin = (seen: TemplateSnapshot): TemplateMemory => ({
  version: 1,
  seen,
  given: [],
  refused: [],
  done: {},
  troubles: {},
});

/** Forgets what the snapshot shows by now. Work that was done before etcd was restored may be lost, and is repeated. */
export function absorb(memory: TemplateMemory, seen: TemplateSnapshot): TemplateMemory {
  const shown = new Set(seen.data.map(({ claim }) => claim));
  const names = new Set([...seen.settled, ...seen.claims.map(({ name }) => name)]);
  const keys = new Set([...seen.claims.map(({ uid }) => uid), ...seen.data.map(({ name }) => name)]);
  return {
    ...memory,
    seen,
    refused: [],
    given: memory.given.filter(({ name }) => !shown.has(name) && names.has(name)),
    done: areComparable(memory.seen, seen) ? only(memory.done, keys) : {},
    troubles: only(memory.troubles, keys),
  };
}
