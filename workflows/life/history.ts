import { type CancellationScope, condition, workflowInfo } from '@temporalio/workflow';

/** Events after which a run is continued as new, between two actions. */
const HISTORY_LIMIT = 500;

/**
 * True when the run should be continued as new before its next action, or while it waits: messages that change nothing
 * lengthen its history too.
 */
export const isLong = (limit: number = HISTORY_LIMIT): boolean =>
  workflowInfo().historyLength > limit || workflowInfo().continueAsNewSuggested;

/**
 * True when the run should not wait for the end of its action: Temporal refuses signals to a run after 10,000 of them,
 * and suggests continue-as-new at about 4,000 events.
 */
export const isTooLong = (): boolean => workflowInfo().continueAsNewSuggested;

/** Waits for the work of a scope, and cancels it when the run becomes too long; true when it was cancelled for that. */
export async function interruptedByLength(scope: CancellationScope, doing: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  void doing.then(over, over);
  await condition(() => isOver || isTooLong());
  const isInterrupted = !isOver && !scope.consideredCancelled;
  if (isInterrupted) scope.cancel();
  return isInterrupted;
}
