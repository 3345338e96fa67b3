import { setTimeout as sleep } from 'node:timers/promises';
import type { BridgeConfig } from '../platform/config/config.ts';

/** Resolves when it is the caller's turn. */
export type Turn = () => Promise<unknown>;

export interface Clock {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const CLOCK: Clock = { now: () => performance.now(), sleep };

/** Allows `burst` requests at once and `perSecond` in the long run; further callers wait in order. */
export function createTurns(perSecond: number, burst: number, { now, sleep }: Clock = CLOCK): Turn {
  const intervalMs = 1_000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    const at = Math.max(next, now() - (burst - 1) * intervalMs);
    next = at + intervalMs;
    const waitMs = at - now();
    if (waitMs > 0) await sleep(waitMs);
  };
}

/** Takes turns of the same limit and waits for none, so that the others wait longer. */
export const aheadOf =
  (turn: Turn): Turn =>
  async () =>
    void turn();

/** The configured rate limit; undefined when there is none. */
export const turnsOf = ({
  KUBE_API_QPS: perSecond,
  KUBE_API_BURST: burst,
}: Pick<BridgeConfig, 'KUBE_API_QPS' | 'KUBE_API_BURST'>): Turn | undefined =>
  perSecond === 0 ? undefined : createTurns(perSecond, burst);
