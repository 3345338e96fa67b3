import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Log } from '../platform/log.ts';

export interface TemporalWatch {
  readonly reachable: boolean;
  /** Looks after the server until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

const INTERVAL_MS = 5_000;
const DEADLINE_MS = 3_000;

/**
 * Notices that Temporal was away, or is another one than before (its database was lost): `onBack` is called then,
 * because what workflows were told may be forgotten.
 */
export function watchTemporal(client: Client, log: Log, onBack: () => void): TemporalWatch {
  let reachable = true;
  let known: string | undefined;

  const look = async (): Promise<void> => {
    try {
      const { namespaceInfo } = await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
        client.workflowService.describeNamespace({ namespace: client.options.namespace }),
      );
      const id = namespaceInfo?.id ?? '';
      const isBack = !reachable || (known !== undefined && known !== id);
      reachable = true;
      known = id;
      if (isBack) {
        log.info('Temporal is back; every host is told again');
        onBack();
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
