import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** The latest run of a workflow. */
export interface Run {
  /** As Temporal words it, for example `TERMINATED`. */
  readonly status: string;
  readonly runId: string;
  /** The first of its chain of runs, which continue each other or were reset from one another. */
  readonly firstRunId: string;
  /** ms since the epoch; undefined while it runs. */
  readonly closedAt: number | undefined;
  /** How often its workflow task was tried; 0 without one that waits. */
  readonly taskAttempts: number;
}

const DEADLINE_MS = 5_000;

/**
 * What the workflow task failed with that is tried again and again; undefined: it has only taken too long, as on a busy
 * machine. Of the attempts at one task only the first is written to the history.
 */
export async function lastTaskFailure(client: Client, workflowId: string, runId: string): Promise<string | undefined> {
  const { history } = await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: TAIL,
    }),
  );
  for (const event of history?.events ?? []) {
    if (event.workflowTaskTimedOutEventAttributes != null || event.workflowTaskCompletedEventAttributes != null) return;
    const failed = event.workflowTaskFailedEventAttributes;
    if (failed != null) return failed.failure?.message ?? 'an unknown failure';
  }
  return undefined;
}

/** Events at the end of a history that tell how its last task went. */
const TAIL = 10;

/** undefined: there is none. Without `runId` the latest. */
export async function describeRun(client: Client, workflowId: string, runId?: string): Promise<Run | undefined> {
  try {
    const {
      status,
      raw,
      runId: found,
      closeTime,
    } = await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflow.getHandle(workflowId, runId).describe(),
    );
    return {
      status: status.name,
      runId: found,
      firstRunId: raw.workflowExecutionInfo?.firstRunId ?? '',
      closedAt: closeTime?.getTime(),
      taskAttempts: raw.pendingWorkflowTask?.attempt ?? 0,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
