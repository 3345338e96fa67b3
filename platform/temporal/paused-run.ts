import { status } from '@grpc/grpc-js';
import { type Client, isGrpcServiceError, QueryRejectedError, ServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { toSeconds } from '../../domain/entity/conditions.ts';
import type { Pause } from '../../domain/entity/paused-run.ts';
import { oneLine } from '../../domain/steering/annotations.ts';
import { describe } from './describe.ts';

/** True when Temporal refused an update or a query because somebody has paused the run. */
export const isPausedRun = (error: unknown): boolean =>
  error instanceof QueryRejectedError ? error.status === WORKFLOW_EXECUTION_STATUS_PAUSED : isRefusedUpdate(error);

/** The words of the refusal are the only sign. */
const isRefusedUpdate = (error: unknown): boolean =>
  error instanceof ServiceError &&
  isGrpcServiceError(error.cause) &&
  error.cause.code === status.FAILED_PRECONDITION &&
  /\bpaused\b/i.test(error.cause.details);

const { WORKFLOW_EXECUTION_STATUS_PAUSED } = proto.temporal.api.enums.v1.WorkflowExecutionStatus;

/** undefined: the run is not paused, or not found. Without `runId`: the latest run. */
export async function describePause(client: Client, workflowId: string, runId?: string): Promise<Pause | undefined> {
  const pause = (await describe(client, workflowId, runId))?.raw.workflowExtendedInfo?.pauseInfo;
  if (pause == null) return undefined;
  const { identity, reason, pausedTime } = pause;
  return {
    by: oneLine(identity ?? ''),
    reason: oneLine(reason ?? ''),
    at: toSeconds(Number(pausedTime?.seconds ?? 0) * 1_000),
  };
}
