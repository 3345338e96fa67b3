import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { messageOf } from '../../../domain/message-of.ts';
import type { Log } from '../../log.ts';
import { isUnknownToTemporal } from '../connection-problem.ts';
import { livePollers } from '../live-pollers.ts';
import { othersDraining, type Standing, standingOf } from './standing.ts';
import { nameOf, type WorkerVersion } from './worker-version.ts';

/** Pause between two looks, of each process. */
const LOOK_MS = 5_000;
/** Number of looks between two searches for abandoned operations. */
const SEARCH_EVERY = 12;
const DOCUMENT = 'docs/operations/upgrade.md';

export interface VersionWatchDeps {
  readonly client: Client;
  readonly version: WorkerVersion;
  /** Queue of the workflows. */
  readonly taskQueue: string;
  readonly log: Log;
}

export interface VersionWatch {
  /** Why these workers get no task; empty when they get some. */
  readonly lines: readonly string[];
  /** Watches until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Asks Temporal which tasks it gives to the version of these workers, logs changes, and makes the version current if no
 * version ever was. Later versions are made current by a person or by a controller.
 */
export function createVersionWatch({ client, version, taskQueue, log }: VersionWatchDeps): VersionWatch {
  const { namespace } = client.options;
  const { deploymentName, buildId } = version;
  const name = nameOf(version);
  const promotion = `temporal worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId}`;
  let standing: Standing = { kind: 'unknown' };
  let problem = '';
  let looks = 0;

  const describe = async () => {
    const { workerDeploymentInfo, conflictToken } = await client.workflowService.describeWorkerDeployment({
      namespace,
      deploymentName,
    });
    return { deployment: workerDeploymentInfo ?? {}, conflictToken };
  };

  /** The token lets only one of several workers that start together do this. */
  const becomeFirst = async (conflictToken: Uint8Array): Promise<void> => {
    await client.workflowService.setWorkerDeploymentCurrentVersion({
      namespace,
      deploymentName,
      buildId,
      conflictToken,
      identity: 'temper-workers',
    });
    log.info({ version: name }, 'the first version of these workers is current now');
  };

  const enter = (next: Standing): void => {
    if (JSON.stringify(next) === JSON.stringify(standing)) return;
    standing = next;
    switch (next.kind) {
      case 'unknown':
      case 'first':
        return;
      case 'current':
        return log.info({ version: name }, 'these workers have the current version');
      case 'draining':
        return log.info({ version: name, current: next.current }, 'these workers finish the operations they began');
      case 'idle':
        return log.warn(
          { version: name, current: next.current, promotion, see: DOCUMENT },
          'these workers get no tasks: their version is not the current one',
        );
    }
  };

  const look = async (): Promise<void> => {
    const { deployment, conflictToken } = await describe();
    enter(standingOf(deployment, version));
    if (standing.kind === 'first') await becomeFirst(conflictToken);
    if (standing.kind !== 'current' || looks++ % SEARCH_EVERY !== 0) return;
    for (const other of othersDraining(deployment, version)) {
      const operations = await abandonedBy(client, other, taskQueue);
      if (operations > 0)
        log.error(
          { version: nameOf(other), operations, see: DOCUMENT },
          'operations wait for workers of a version that nobody runs',
        );
    }
  };

  return {
    get lines() {
      switch (standing.kind) {
        case 'current':
        case 'draining':
          return [];
        case 'idle':
          return [`version ${name} gets no tasks; the current version is ${standing.current} (${DOCUMENT})`];
        case 'unknown':
        case 'first':
          return [`version ${name} gets no tasks yet${problem}`];
      }
    },
    async run(signal) {
      while (!signal.aborted) {
        try {
          await look();
          problem = '';
        } catch (error) {
          // Until its workers have asked for a task, Temporal does not know the deployment.
          const isKnown = !isUnknownToTemporal(error);
          if (isKnown && problem === '') log.warn({ err: error, version: name }, 'the version could not be looked up');
          problem = isKnown ? `: ${messageOf(error)}` : '';
        }
        const pause = standing.kind === 'unknown' || standing.kind === 'first' ? LOOK_MS / 10 : LOOK_MS;
        await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** Runs that only workers of this version may continue. */
const pinnedTo = (version: WorkerVersion): string =>
  `TemporalWorkerDeploymentVersion = "${nameOf(version)}" AND TemporalWorkflowVersioningBehavior = "Pinned" ` +
  'AND ExecutionStatus = "Running"';

/** Number of operations that wait for workers of a version of which no worker runs. */
async function abandonedBy(client: Client, version: WorkerVersion, taskQueue: string): Promise<number> {
  const { count } = await client.workflow.count(pinnedTo(version));
  if (count === 0) return 0;
  const pollers = await livePollers(client, taskQueue);
  const isServed = pollers.some(({ deploymentOptions }) => deploymentOptions?.buildId === version.buildId);
  return isServed ? 0 : count;
}
