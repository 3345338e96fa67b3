import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import proto from '@temporalio/proto';
import { messageOf } from '../../domain/message-of.ts';

/** The latest run of a workflow. */
export interface WorkflowRun {
  /** Temporal's name of the status, for example `TERMINATED`. */
  readonly status: string;
  readonly runId: string;
  /** First run of the chain that continue-as-new and resets make. */
  readonly firstRunId: string;
  /** ms since the epoch; undefined while it runs. */
  readonly closedAt: number | undefined;
  /** Of its workflow tasks. */
  readonly taskQueue: string;
  /** Number of the attempt of its pending workflow task; 0: none is pending. */
  readonly taskAttempt: number;
}

const DEADLINE_MS = 5_000;

/** True when the server sets the search attribute `TemporalReportedProblems` on runs whose workflow task keeps failing. */
export async function isReportingProblems({ connection, workflowService, options }: Client): Promise<boolean> {
  const { namespaceInfo } = await connection.withDeadline(Date.now() + DEADLINE_MS, () =>
    workflowService.describeNamespace({ namespace: options.namespace }),
  );
  return namespaceInfo?.capabilities?.reportedProblemsSearchAttribute === true;
}

export interface TaskFailure {
  readonly message: string;
  /** The history of the run leads to it: it comes again with each replay, whatever worker has the task. */
  readonly isOfHistory: boolean;
  /** No other task was scheduled since. */
  readonly isOfLastTask: boolean;
}

const {
  WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR: OTHER_COMMANDS,
  /** The SDK takes the answer to an update for sent when it replays what it has not answered. */
  WORKFLOW_TASK_FAILED_CAUSE_BAD_UPDATE_WORKFLOW_EXECUTION_MESSAGE: LOST_ANSWER,
} = proto.temporal.api.enums.v1.WorkflowTaskFailedCause;

/**
 * The failure of a workflow task that is retried; undefined: it timed out, as on a busy machine. Temporal writes only
 * the first attempt of a task to the history.
 */
export async function lastTaskFailure(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<TaskFailure | undefined> {
  const { history } = await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: TAIL,
    }),
  );
  let isOfLastTask = true;
  for (const event of history?.events ?? []) {
    if (event.workflowTaskScheduledEventAttributes != null) isOfLastTask = false;
    if (event.workflowTaskTimedOutEventAttributes != null || event.workflowTaskCompletedEventAttributes != null) return;
    const failed = event.workflowTaskFailedEventAttributes;
    if (failed != null) {
      const isOfHistory = failed.cause === OTHER_COMMANDS || failed.cause === LOST_ANSWER;
      return { message: await messageIn(client, failed.failure), isOfHistory, isOfLastTask };
    }
  }
  return undefined;
}

/** Where payloads are encrypted, messages of failures are too. */
async function messageIn({ options }: Client, failure: Failure): Promise<string> {
  const unknown = failure?.message ?? 'an unknown failure';
  try {
    const error = await decodeOptionalFailureToOptionalError(options.loadedDataConverter, failure);
    return error?.message ?? unknown;
  } catch (error) {
    return `${unknown}: ${messageOf(error)}`;
  }
}

type Failure = Parameters<typeof decodeOptionalFailureToOptionalError>[1];

/** Number of last events that include the end of the last task. */
const TAIL = 10;

/** undefined: not found. Without `runId`: the latest run. */
export async function describeRun(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<WorkflowRun | undefined> {
  try {
    const {
      status,
      raw,
      runId: found,
      closeTime,
      taskQueue,
    } = await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflow.getHandle(workflowId, runId).describe(),
    );
    return {
      status: status.name,
      runId: found,
      firstRunId: raw.workflowExecutionInfo?.firstRunId ?? '',
      closedAt: closeTime?.getTime(),
      taskQueue,
      taskAttempt: raw.pendingWorkflowTask?.attempt ?? 0,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
