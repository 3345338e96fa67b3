import { type CancellationScope, condition, workflowInfo } from '@temporalio/workflow';

/** Events after which a run is continued as new, between two actions. */
const HISTORY_LIMIT = 500;

/** True when the run should be continued as new before its next action. */
export const isLong = (limit: number = HISTORY_LIMIT): boolean =>
  workflowInfo().historyLength > limit || workflowInfo().continueAsNewSuggested;

/**
 * True when the run should not even wait for the end of what is in hand: Temporal refuses signals to a run that has had
 * 10,000 of them, and suggests to go on in a new one at some 4,000 events.
 */
export const isTooLong = (): boolean => workflowInfo().continueAsNewSuggested;

/** Waits for what a scope does, and cancels it when the run becomes too long for it; true when that happened. */
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
