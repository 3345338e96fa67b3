import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';

export interface Sweep {
  /** Name for the log. */
  readonly name: string;
  readonly intervalMs: number;
  readonly look: (signal: AbortSignal) => Promise<void>;
}

/** Calls `look` at this interval until aborted. An outage is logged once. */
export async function sweepEvery({ name, intervalMs, look }: Sweep, log: Log, signal: AbortSignal): Promise<void> {
  let outage = false;
  while (!signal.aborted) {
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await look(signal);
      if (outage) log.info({ sweep: name }, 'the sweep succeeds again');
      outage = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!outage) log.warn({ sweep: name, err: error }, 'sweep failed');
      outage = true;
    }
  }
}
