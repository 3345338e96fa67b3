import type { Client } from '@temporalio/client';
import { livePollers } from '../live-pollers.ts';
import { nameOf, type WorkerVersion } from './worker-version.ts';

/** Runs that only workers of this version may continue. */
export const pinnedTo = (version: WorkerVersion): string =>
  `TemporalWorkerDeploymentVersion = "${nameOf(version)}" AND TemporalWorkflowVersioningBehavior = "Pinned" ` +
  'AND ExecutionStatus = "Running"';

/** Number of operations that wait for workers of a version of which no worker runs. */
export async function abandonedBy(client: Client, version: WorkerVersion, taskQueue: string): Promise<number> {
  const { count } = await client.workflow.count(pinnedTo(version));
  if (count === 0) return 0;
  const pollers = await livePollers(client, taskQueue);
  const isServed = pollers.some(({ deploymentOptions }) => deploymentOptions?.buildId === version.buildId);
  return isServed ? 0 : count;
}
