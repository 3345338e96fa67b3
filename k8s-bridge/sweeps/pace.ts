/** A rate limit that adapts to how fast the other side answers. */
export interface Pace {
  /** Resolves when the caller may send its next request, or when aborted. */
  turn(signal: AbortSignal): Promise<void>;
  /** Reports an answer and its duration (ms). */
  answered(afterMs: number): void;
  /** Reports a failed or missing answer. */
  failed(): void;
  /** The current rate, per second. */
  readonly perSecond: number;
}

const FIRST = 20;
const MOST = 50;
const LEAST = 0.5;
const SLOW_MS = 1_000;

/** Halves the rate after each slow or missing answer, and raises it a little after each other answer. */
export function createPace(wait: (ms: number, signal: AbortSignal) => Promise<unknown> = waitUnlessAborted): Pace {
  let perSecond = FIRST;
  let last: Promise<unknown> = Promise.resolve();
  const slower = (): void => {
    perSecond = Math.max(perSecond / 2, LEAST);
  };
  return {
    async turn(signal) {
      last = last.then(() => wait(1_000 / perSecond, signal));
      await last;
    },
    answered(afterMs) {
      if (afterMs > SLOW_MS) slower();
      else perSecond = Math.min(perSecond + 0.1, MOST);
    },
    failed: slower,
    get perSecond() {
      return perSecond;
    },
  };
}

/** Resolves after this time, or when aborted. */
export function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
