import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

/** A worker asks for tasks at least once a minute. */
const GONE_MS = 90_000;
const DEADLINE_MS = 5_000;
const { TASK_QUEUE_TYPE_ACTIVITY, TASK_QUEUE_TYPE_WORKFLOW } = proto.temporal.api.enums.v1.TaskQueueType;

type Pollers = Awaited<ReturnType<Client['workflowService']['describeTaskQueue']>>['pollers'];

/** The workers that poll the queue for tasks now. Temporal lists them for some minutes after they are gone. */
export async function livePollers(
  client: Client,
  taskQueue: string,
  of: 'workflows' | 'activities' = 'workflows',
): Promise<Pollers> {
  const { connection, workflowService, options } = client;
  const { pollers } = await connection.withDeadline(Date.now() + DEADLINE_MS, () =>
    workflowService.describeTaskQueue({
      namespace: options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: of === 'workflows' ? TASK_QUEUE_TYPE_WORKFLOW : TASK_QUEUE_TYPE_ACTIVITY,
    }),
  );
  const since = (Date.now() - GONE_MS) / 1_000;
  return pollers.filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) > since);
}
