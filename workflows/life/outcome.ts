import {
  ActivityFailure,
  type CancellationScope,
  ChildWorkflowFailure,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Outcome } from '../../domain/entity/entity.ts';

/**
 * Converts the error of an action to an outcome. A cancellation is our own; any other error is a failure, which is
 * shown. A cancelled activity whose worker does not answer is no failure: Temporal does not retry it.
 */
export function toOutcome(error: unknown, { consideredCancelled }: CancellationScope): Outcome<never> {
  if (isCancellation(error)) return { kind: 'cancelled' };
  const cause = innermost(error);
  if (cause instanceof TimeoutFailure && consideredCancelled) return { kind: 'cancelled' };
  if (cause instanceof TimeoutFailure) return { kind: 'failed', message: `no answer in time: ${performed(error)}` };
  return { kind: 'failed', message: cause instanceof Error ? cause.message : String(cause) };
}

const innermost = (error: unknown): unknown =>
  (error instanceof ActivityFailure || error instanceof ChildWorkflowFailure) && error.cause !== undefined
    ? innermost(error.cause)
    : error;

/** The activity or the child workflow that ran out of time. */
const performed = (error: unknown): string =>
  error instanceof ActivityFailure
    ? error.activityType
    : error instanceof ChildWorkflowFailure
      ? (error.workflowType ?? '')
      : '';
