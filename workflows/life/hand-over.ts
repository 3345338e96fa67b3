import { patched, TemporalFailure, workflowInfo } from '@temporalio/workflow';
import type { EntityView } from '../../domain/entity/view.ts';
import type { PublishAnswer } from '../messages.ts';
import { PATCHES } from '../patches.ts';
import { bridge, viewsInTask } from '../proxies.ts';
import { isLong } from './history.ts';

export type HandOver = (view: EntityView, summary: string) => Promise<PublishAnswer>;

/**
 * Hands views to the bridge as activities, which are tried again without further events.
 *
 * Runs from before the patch handed the first view of a task over within it. They are replayed so, as far as they can be:
 * the length of the history is not the same in a replay, and neither is the order of what ends within a task.
 */
export function createHandOver(historyLimit: number | undefined): HandOver {
  /** Length of the history at the start of the last task that handed over a view. */
  let lastTask = -1;
  return (view, summary) => {
    // Runs from before the patch must not wait for one promise more than they did.
    if (!patched(PATCHES.fewerEvents) || patched(PATCHES.viewsByActivity)) return bridge(summary).publish({ view });
    const { historyLength: task } = workflowInfo();
    if (task === lastTask || view.leaving === true || isLong(historyLimit)) return bridge(summary).publish({ view });
    lastTask = task;
    return inTask(view, summary);
  };
}

async function inTask(view: EntityView, summary: string): Promise<PublishAnswer> {
  try {
    const answer = await viewsInTask(summary).handOverView({ view });
    if (answer.kind !== 'not taken') return answer;
  } catch (error) {
    // Its time was up.
    if (!(error instanceof TemporalFailure)) throw error;
  }
  return bridge(summary).publish({ view });
}
