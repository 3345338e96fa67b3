/**
 * How far (ms) the clocks of one installation may differ. A stored time that lies further in the future was written with
 * a clock that was wrong.
 */
const SKEW_MS = 60_000;

/** Instead of the time: no stored time is in the future, and no wait is over. */
export const BEFORE_ALL = 0;

/** A stored time (ms since the epoch) as far as it is believed: one in the future, and one that can't be read, is old. */
export const believed = (at: number, now: number): number => (at <= now + SKEW_MS || now === BEFORE_ALL ? at : 0);

/** How long ago (ms) a stored time is. One in the future is long ago. */
export const ageOf = (at: number, now: number): number => Math.max(0, now - believed(at, now));

/**
 * True when a stored time has come for which somebody waits. The wait was `longestMs` at most, so an end that is further
 * away was written with a wrong clock, and has come.
 */
export const hasCome = (until: number, now: number, longestMs: number): boolean =>
  now >= until || (until > now + longestMs + SKEW_MS && now !== BEFORE_ALL);
