import { ageOf } from '../clock.ts';
import { isPutOff, type Trouble, troubled } from '../entity/retry.ts';
import type { Seen } from '../entity/seen.ts';

/** The memory of an object that gives each claim one thing of its own: an address or an index. */
export interface AllocationMemory<Snapshot extends Seen, Given, Refused, Done> {
  readonly version: 1;
  readonly seen: Snapshot;
  /** Given to claims, but not yet in a snapshot of the bridge. */
  readonly allocated: readonly Given[];
  /**
   * Indexes or addresses that can't be given, because an object of this name belongs to somebody else; forgotten with
   * the next snapshot.
   */
  readonly refused: readonly Refused[];
  /**
   * Work that is done but not yet in a snapshot: by uid of the claim, or by the name of an object that no claim uses.
   */
  readonly done: Readonly<Record<string, Done>>;
  /** Failed tasks, by the same keys. */
  readonly troubles: Readonly<Record<string, Trouble>>;
}

const LAST_RETRY_MS = 300_000;
/** Of a message that is kept for each claim. */
const LONGEST_MESSAGE = 150;

const shortened = (message: string): string =>
  message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE).toWellFormed()}…`;

export const begin = <Snapshot extends Seen>(seen: Snapshot): AllocationMemory<Snapshot, never, never, never> => ({
  version: 1,
  seen,
  allocated: [],
  refused: [],
  done: {},
  troubles: {},
});

interface Troubled {
  readonly troubles: Readonly<Record<string, Trouble>>;
}

export function withTrouble<Memory extends Troubled>(
  memory: Memory,
  key: string,
  message: string,
  now: number,
): Memory {
  const trouble = troubled(memory.troubles[key], shortened(message), now, LAST_RETRY_MS);
  return { ...memory, troubles: { ...memory.troubles, [key]: trouble } };
}

export function withoutTrouble<Memory extends Troubled>(memory: Memory, key: string): Memory {
  const { [key]: _, ...troubles } = memory.troubles;
  return { ...memory, troubles };
}

/** False while a failed task waits for its next attempt. */
export const isDue = ({ troubles }: Troubled, key: string, now: number): boolean =>
  !isPutOff(troubles[key] ?? { until: 0 }, now);

/** When the next failed task is due; nothing when none waits. */
export function retryOf({ troubles }: Troubled, now: number): { readonly until?: number } {
  const times = Object.values(troubles).map(({ until }) => until);
  const until = Math.min(...times.filter((time) => time > now));
  return Number.isFinite(until) ? { until } : {};
}

/**
 * How long what was given is kept without its object being observed. The object exists, so the same cannot be given
 * again even after that; the limit is for an object that somebody removed by force before the bridge saw it.
 */
const UNSEEN_MS = 600_000;

/** The given indexes or addresses without those that were not observed in time. `at`: ms since the epoch. */
export const stillGiven = <Given extends { readonly at: number }>(
  given: readonly Given[],
  now: number,
): readonly Given[] => given.filter(({ at }) => ageOf(at, now) < UNSEEN_MS);
