import { type CancellationScope, condition, patched, workflowInfo } from '@temporalio/workflow';
import { PATCHES } from '../patches.ts';

/** Events after which a run is continued as new, between two actions. */
const HISTORY_LIMIT = 500;

/** True when the run should be continued as new before its next action. */
export const isLong = (limit: number = HISTORY_LIMIT): boolean =>
  workflowInfo().historyLength > limit || workflowInfo().continueAsNewSuggested;

/**
 * True when a run that waits should be continued as new: messages that change nothing lengthen its history too. The
 * patch is asked for last, so that only such a run has its marker.
 */
export const isLongWhileWaiting = (limit?: number): boolean => isLong(limit) && patched(PATCHES.boundedWaits);

/**
 * True when the run should not wait for the end of its action: Temporal refuses signals to a run after 10,000 of them,
 * and suggests continue-as-new at about 4,000 events.
 */
export const isTooLong = (): boolean => workflowInfo().continueAsNewSuggested;

/** The same for a wait that had no such end before the patch. */
export const isTooLongForWait = (): boolean => isTooLong() && patched(PATCHES.boundedWaits);

/** Waits for the work of a scope, and cancels it when the run becomes too long; true when it was cancelled for that. */
export async function interruptedByLength(
  scope: CancellationScope,
  doing: Promise<unknown>,
  isTooLongNow: () => boolean = isTooLong,
): Promise<boolean> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  void doing.then(over, over);
  await condition(() => isOver || isTooLongNow());
  const isInterrupted = !isOver && !scope.consideredCancelled;
  if (isInterrupted) scope.cancel();
  return isInterrupted;
}
