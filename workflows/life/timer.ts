import { CancellationScope, sleep } from '@temporalio/workflow';
import { summaryLine } from '../../domain/entity/details.ts';

/** The one timer that a waiting run has at most. */
export interface Timer {
  /** True when the moment has come. */
  readonly isOver: boolean;
  /**
   * Waits for this time (ms since the epoch) instead of an earlier one; undefined stops the timer. A timer for the same
   * time is kept.
   */
  set(until: number | undefined, summary: string): void;
}

export function createTimer(): Timer {
  let set: { readonly until: number; readonly scope: CancellationScope } | undefined;
  let isOver = false;
  return {
    get isOver() {
      return isOver;
    },
    set(until, summary) {
      if (set?.until === until && !isOver) return;
      set?.scope.cancel();
      isOver = false;
      if (until === undefined) {
        set = undefined;
        return;
      }
      const scope = new CancellationScope();
      set = { until, scope };
      scope
        .run(() => sleep(Math.max(until - Date.now(), 1), { summary: summaryLine(summary) }))
        .then(
          () => {
            isOver = set?.scope === scope;
          },
          () => undefined,
        );
    },
  };
}
