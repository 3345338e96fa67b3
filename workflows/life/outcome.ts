import {
  ActivityFailure,
  ApplicationFailure,
  type CancellationScope,
  CancelledFailure,
  ChildWorkflowFailure,
  isCancellation,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Outcome, Stale } from '../../domain/entity/entity.ts';
import { STALE } from '../messages.ts';

/**
 * Converts the error of an action to an outcome. A cancellation of the scope is our own; an operation that somebody
 * terminates or cancels, or that Temporal ends, is no failure of Ironic; any other error is a failure, which is shown. A
 * cancelled activity whose worker does not answer is no failure: Temporal does not retry it. An action that the object
 * does not ask for any more is stale, unless the run has learned that itself meanwhile and cancelled the action.
 */
export function toOutcome(error: unknown, { consideredCancelled }: CancellationScope): Outcome<never> | Stale {
  if (isEndedByOthers(error))
    return consideredCancelled ? { kind: 'cancelled' } : { kind: 'cancelled', byOthers: true };
  if (isCancellation(error)) return { kind: 'cancelled' };
  const cause = innermost(error);
  if (cause instanceof TimeoutFailure && consideredCancelled) return { kind: 'cancelled' };
  if (cause instanceof TimeoutFailure) return { kind: 'failed', message: `no answer in time: ${performed(error)}` };
  const message = cause instanceof Error ? cause.message : String(cause);
  if (!(cause instanceof ApplicationFailure && cause.type === STALE)) return { kind: 'failed', message };
  return consideredCancelled ? { kind: 'cancelled' } : { kind: 'stale', message };
}

/** The child workflow was terminated or cancelled, or its run ended at a time limit of Temporal. */
const isEndedByOthers = (error: unknown): boolean =>
  error instanceof ChildWorkflowFailure &&
  (error.cause instanceof TerminatedFailure ||
    error.cause instanceof CancelledFailure ||
    error.cause instanceof TimeoutFailure);

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
