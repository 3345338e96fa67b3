import { status } from '@grpc/grpc-js';
import { isGrpcServiceError, ServiceError } from '@temporalio/client';

/** True when Temporal refused an update because somebody has paused the run. Its words are the only sign. */
export const isPausedRun = (error: unknown): boolean =>
  error instanceof ServiceError &&
  isGrpcServiceError(error.cause) &&
  error.cause.code === status.FAILED_PRECONDITION &&
  /\bpaused\b/i.test(error.cause.details);

/** The command with which a person ends the pause. */
export const unpauseCommand = (workflowId: string): string => `temporal workflow unpause --workflow-id ${workflowId}`;
