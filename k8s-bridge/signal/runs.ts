import type { Client } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import proto from '@temporalio/proto';
import { messageOf } from '../../domain/message-of.ts';
import { describe } from '../../platform/temporal/describe.ts';

/** The latest run of a workflow. */
export interface WorkflowRun {
  /** Temporal's name of the status, for example `TERMINATED`. */
  readonly status: string;
  readonly runId: string;
  /** First run of the chain that continue-as-new and resets make. */
  readonly firstRunId: string;
  /** ms since the epoch; undefined while it runs. */
  readonly closedAt: number | undefined;
  /** The queue of its workflow tasks. */
  readonly taskQueue: string;
  /** Number of the attempt of its pending workflow task; 0: none is pending. */
  readonly taskAttempt: number;
}

const DEADLINE_MS = 5_000;

/**
 * True when the server sets the search attribute `TemporalReportedProblems` on runs whose workflow task keeps failing.
 */
export const isReportingProblems = async (client: Client): Promise<boolean> =>
  (await capabilitiesOf(client))?.reportedProblemsSearchAttribute === true;

/** True when runs can be paused in the namespace. */
export const canPause = async (client: Client): Promise<boolean> =>
  (await capabilitiesOf(client))?.workflowPause === true;

async function capabilitiesOf({ connection, workflowService, options }: Client): Promise<Capabilities> {
  const { namespaceInfo } = await connection.withDeadline(Date.now() + DEADLINE_MS, () =>
    workflowService.describeNamespace({ namespace: options.namespace }),
  );
  return namespaceInfo?.capabilities;
}

type Capabilities = NonNullable<
  Awaited<ReturnType<Client['workflowService']['describeNamespace']>>['namespaceInfo']
>['capabilities'];

export interface TaskFailure {
  readonly message: string;
  /**
   * `history`: the history of the run causes the failure, so each replay on any worker fails.
   * `timeout`: no worker answered in time, because the machine is busy, or because the replay fails in later attempts.
   */
  readonly cause: 'history' | 'timeout' | 'other';
  /** No other task was scheduled since. */
  readonly isOfLastTask: boolean;
}

const {
  WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR: OTHER_COMMANDS,
  /** On replay the SDK assumes that an unanswered update was already answered. */
  WORKFLOW_TASK_FAILED_CAUSE_BAD_UPDATE_WORKFLOW_EXECUTION_MESSAGE: LOST_ANSWER,
} = proto.temporal.api.enums.v1.WorkflowTaskFailedCause;

/**
 * The failure of a workflow task that is retried; undefined: none is in the last events. Temporal writes only the first
 * attempt of a task to the history.
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
    if (event.workflowTaskCompletedEventAttributes != null) return undefined;
    if (event.workflowTaskTimedOutEventAttributes != null)
      return { message: 'no worker answered in time', cause: 'timeout', isOfLastTask };
    const failed = event.workflowTaskFailedEventAttributes;
    if (failed != null) {
      const isOfHistory = failed.cause === OTHER_COMMANDS || failed.cause === LOST_ANSWER;
      return {
        message: await messageIn(client, failed.failure),
        cause: isOfHistory ? 'history' : 'other',
        isOfLastTask,
      };
    }
  }
  return undefined;
}

/** The message of a failure, which is encrypted where payloads are. */
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

/** A run of an object, or of an operation on it. */
export interface RunRef {
  readonly workflowId: string;
  readonly runId: string;
}

/** The listed runs, by the workflow id of their object: the ids of its operations begin with it. */
export async function runsByObject(client: Client, query: string): Promise<ReadonlyMap<string, readonly RunRef[]>> {
  const runs = new Map<string, RunRef[]>();
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const id = workflowId.split('/', 3).join('/');
    runs.set(id, [...(runs.get(id) ?? []), { workflowId, runId }]);
  }
  return runs;
}

/** undefined: not found. Without `runId`: the latest run. */
export async function describeRun(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<WorkflowRun | undefined> {
  const found = await describe(client, workflowId, runId);
  return (
    found && {
      status: found.status.name,
      runId: found.runId,
      firstRunId: found.raw.workflowExecutionInfo?.firstRunId ?? '',
      closedAt: found.closeTime?.getTime(),
      taskQueue: found.taskQueue,
      taskAttempt: found.raw.pendingWorkflowTask?.attempt ?? 0,
    }
  );
}
