import { ApplicationFailure, ChildWorkflowFailure } from '@temporalio/workflow';
import type { HostOutcome } from '../../domain/host/step.ts';

/** Type of the failure with which an operation ends; its details are the outcome. */
const OPERATION_FAILED = 'OperationFailed';

/**
 * Ends an operation. A failed operation is listed as a failed run; the host's workflow gets its outcome all the same.
 */
export function ended(outcome: HostOutcome): HostOutcome {
  const problem = problemOf(outcome);
  if (problem === undefined) return outcome;
  throw ApplicationFailure.create({
    type: OPERATION_FAILED,
    nonRetryable: true,
    message: problem,
    details: [outcome],
  });
}

function problemOf(outcome: HostOutcome): string | undefined {
  if (outcome.kind === 'failed') return outcome.message;
  return outcome.kind === 'lost' ? 'Ironic does not know the node any more' : undefined;
}

/** The outcome of an operation that failed; undefined: the error is another one. */
export function outcomeOf(error: unknown): unknown {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === OPERATION_FAILED ? cause.details?.[0] : undefined;
}
