const MINUTE = 60_000;
const LARGEST_EXPONENT = 9;
export const LONGEST_BACKOFF_MS = 2 ** LARGEST_EXPONENT * MINUTE;

/**
 * Milliseconds to wait after the `failures`-th consecutive failure: in (base/2, base] with base = 2^failures minutes,
 * 512 minutes at most. `dice` is in [0, 1).
 */
export function backoff(failures: number, dice: number): number {
  const base = 2 ** Math.min(failures, LARGEST_EXPONENT) * MINUTE;
  return Math.ceil(base - (dice * base) / 2);
}
