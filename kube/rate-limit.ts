import { setTimeout as sleep } from 'node:timers/promises';
import type { BridgeConfig } from '../platform/config/config.ts';

/** Resolves when it is the caller's turn; rejects when the signal is aborted before. */
export type Turn = (signal?: AbortSignal) => Promise<unknown>;

export interface Clock {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

const CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }),
};

/** Allows `burst` requests at once and `perSecond` in the long run; further callers wait in order. */
export function createTurns(perSecond: number, burst: number, { now, sleep }: Clock = CLOCK): Turn {
  const intervalMs = 1_000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const at = Math.max(next, now() - (burst - 1) * intervalMs);
    next = at + intervalMs;
    const waitMs = at - now();
    if (waitMs > 0) await sleep(waitMs, signal);
  };
}

/** The configured rate limit; undefined when there is none. */
export const turnsOf = ({
  KUBE_API_QPS: perSecond,
  KUBE_API_BURST: burst,
}: Pick<BridgeConfig, 'KUBE_API_QPS' | 'KUBE_API_BURST'>): Turn | undefined =>
  perSecond === 0 ? undefined : createTurns(perSecond, burst);
