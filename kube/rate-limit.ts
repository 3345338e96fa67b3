import { setTimeout as sleep } from 'node:timers/promises';
import type { BridgeConfig } from '../platform/config/config.ts';

/** Resolves when it is one's turn. */
export type Turn = () => Promise<unknown>;

export interface Clock {
  /** Milliseconds that only grow. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const CLOCK: Clock = { now: () => performance.now(), sleep };

/** Lets `burst` go at once and `perSecond` in the long run; whoever comes too soon waits, in order. */
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

/** Turns as configured; undefined where nobody has to wait. */
export const turnsOf = ({
  KUBE_API_QPS: perSecond,
  KUBE_API_BURST: burst,
}: Pick<BridgeConfig, 'KUBE_API_QPS' | 'KUBE_API_BURST'>): Turn | undefined =>
  perSecond === 0 ? undefined : createTurns(perSecond, burst);
