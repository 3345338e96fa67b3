import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';

export interface Sweep {
  /** What is looked at, in words for the log. */
  readonly name: string;
  readonly intervalMs: number;
  readonly look: (signal: AbortSignal) => Promise<void>;
}

/** Looks every now and then, until aborted. A failure is logged once, until a look succeeds again. */
export async function sweepEvery({ name, intervalMs, look }: Sweep, log: Log, signal: AbortSignal): Promise<void> {
  let outage = false;
  while (!signal.aborted) {
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await look(signal);
      if (outage) log.info({ sweep: name }, 'sweep succeeds again');
      outage = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!outage) log.warn({ sweep: name, err: error }, 'sweep failed');
      outage = true;
    }
  }
}
