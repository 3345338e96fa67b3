import { setTimeout as sleep } from 'node:timers/promises';
import type { TemporalAccess } from '../../platform/temporal/access/access.ts';
import { namespaceId } from '../../platform/temporal/client.ts';
import { outageInWords } from '../../platform/temporal/connection-problem.ts';
import type { Around } from '../around.ts';

export interface TemporalWatch {
  /** That Temporal does not answer, where and why; undefined while it does. */
  readonly problem: string | undefined;
  /** Watches the server until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

interface WatchTemporalDeps extends Pick<Around, 'client' | 'log'> {
  readonly access: TemporalAccess;
}

const INTERVAL_MS = 5_000;
const DEADLINE_MS = 3_000;

/**
 * Detects that Temporal is reachable again or has lost its database; `onBack` is called then, because signalled
 * snapshots may be lost.
 */
export function watchTemporal(
  { client, access, log }: WatchTemporalDeps,
  onBack: (isAnother: boolean) => void,
): TemporalWatch {
  let problem: string | undefined;
  let known: string | undefined;

  const look = async (): Promise<void> => {
    try {
      const id = await namespaceId(client, DEADLINE_MS);
      const isAnother = known !== undefined && known !== id;
      const isBack = problem !== undefined || isAnother;
      problem = undefined;
      known = id;
      if (isBack) {
        log.info({ address: access.address }, 'Temporal answers again; all workflows are queried');
        onBack(isAnother);
      }
    } catch (error) {
      const isNew = problem === undefined;
      problem = await outageInWords(access, error);
      if (isNew) log.warn({ address: access.address, error: problem }, 'Temporal does not answer');
    }
  };

  return {
    get problem() {
      return problem;
    },
    async run(signal) {
      while (!signal.aborted) {
        await look();
        await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}
