import { hasCome } from '../clock.ts';
import type { Step } from './entity.ts';

type Wait = Extract<Step<unknown, unknown>, { readonly kind: 'wait' }>;

export const wait = (reason: string, until?: number, cause?: string): Wait => ({
  kind: 'wait',
  reason,
  ...(cause !== undefined && { cause }),
  ...(until !== undefined && { until }),
});

/** Failed attempts at one task. */
export interface Trouble {
  readonly message: string;
  readonly times: number;
  /** The time of the next attempt, in ms since the epoch. */
  readonly until: number;
}

/** The longest pause of all kinds, in ms. */
const LONGEST_PAUSE_MS = 3_600_000;

/** False when another attempt is due. A time that no pause can have is of a clock that was ahead, and has come. */
export const isPutOff = ({ until }: Pick<Trouble, 'until'>, now: number): boolean =>
  !hasCome(until, now, LONGEST_PAUSE_MS);

export const waitToRetry = (message: string, until: number): Wait =>
  wait(`waiting to try again after: ${message}`, until, message);

export const FIRST_RETRY_MS = 5_000;

interface Pauses {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The pause after a failure: doubled each time, with random variation in its second half. `dice` is in [0, 1). */
export function pauseMs(times: number, { firstMs, longestMs }: Pauses, dice = 0): number {
  const base = Math.min(firstMs * 2 ** (times - 1), longestMs);
  return Math.ceil(base - (dice * base) / 2);
}

/** `before`: the trouble of the last attempt at the same task. */
export function troubled(
  before: Pick<Trouble, 'times'> | null | undefined,
  message: string,
  now: number,
  longestMs: number,
): Trouble {
  const times = (before?.times ?? 0) + 1;
  return { message, times, until: now + pauseMs(times, { firstMs: FIRST_RETRY_MS, longestMs }) };
}
