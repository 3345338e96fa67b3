import { pauseMs } from './retry.ts';

/**
 * The object did not ask for what its run was about to do. The first time, the run begins anew from the object at once;
 * when that was in vain, it pauses before.
 */
export interface Staleness {
  readonly message: string;
  /** How often in a row the run had begun anew before. */
  readonly times: number;
  /** The end of the pause, in ms since the epoch; it is over already the first time. */
  readonly until: number;
}

const PAUSES = { firstMs: 5_000, longestMs: 600_000 };

/** `before`: the last time, unless the object has changed since. One that ended longer ago than the longest pause is old. */
export function staleAgain(before: Staleness | undefined, message: string, now: number): Staleness {
  const isInARow = before !== undefined && Math.abs(now - before.until) <= PAUSES.longestMs;
  const times = isInARow ? before.times + 1 : 0;
  return { message, times, until: times === 0 ? now : now + pauseMs(times, PAUSES) };
}

/** Why the run waits, in words. */
export const staleInWords = ({ message, times }: Staleness): string =>
  `${message}: the run has begun anew from the object ${times === 1 ? 'once' : `${times} times`} in vain, and will again`;

/** Recognises a text of `staleInWords`. */
export const STALE_WORDS = /: the run has begun anew from the object (once|\d+ times) in vain, and will again$/;
