import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Log } from '../../platform/log.ts';
import { namespaceId } from '../../platform/temporal/namespace-id.ts';

export interface TemporalWatch {
  readonly reachable: boolean;
  /** Watches the server until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

const INTERVAL_MS = 5_000;
const DEADLINE_MS = 3_000;

/**
 * Detects that Temporal is reachable again or has lost its database; `onBack` is called then, because signalled
 * snapshots may be lost.
 */
export function watchTemporal(client: Client, log: Log, onBack: (isAnother: boolean) => void): TemporalWatch {
  let reachable = true;
  let known: string | undefined;

  const look = async (): Promise<void> => {
    try {
      const id = await namespaceId(client, DEADLINE_MS);
      const isAnother = known !== undefined && known !== id;
      const isBack = !reachable || isAnother;
      reachable = true;
      known = id;
      if (isBack) {
        log.info('Temporal answers again; all workflows are queried');
        onBack(isAnother);
      }
    } catch (error) {
      if (reachable) log.warn({ err: error }, 'Temporal does not answer');
      reachable = false;
    }
  };

  return {
    get reachable() {
      return reachable;
    },
    async run(signal) {
      while (!signal.aborted) {
        await look();
        await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}
