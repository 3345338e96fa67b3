import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { nameOf, type WorkerVersion } from './worker-version.ts';

/** A worker asks for tasks at least once a minute. */
const GONE_MS = 90_000;
const { TASK_QUEUE_TYPE_WORKFLOW } = proto.temporal.api.enums.v1.TaskQueueType;

/** Runs that only workers of this version may continue. */
export const pinnedTo = (version: WorkerVersion): string =>
  `TemporalWorkerDeploymentVersion = "${nameOf(version)}" AND TemporalWorkflowVersioningBehavior = "Pinned" ` +
  'AND ExecutionStatus = "Running"';

/** The number of operations that wait for workers of a version which nobody runs any more. */
export async function abandonedBy(client: Client, version: WorkerVersion, taskQueue: string): Promise<number> {
  const { count } = await client.workflow.count(pinnedTo(version));
  if (count === 0) return 0;
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
  });
  const since = (Date.now() - GONE_MS) / 1_000;
  const isServed = pollers.some(
    ({ deploymentOptions, lastAccessTime }) =>
      deploymentOptions?.buildId === version.buildId && Number(lastAccessTime?.seconds ?? 0) > since,
  );
  return isServed ? 0 : count;
}
