import { patched, TemporalFailure, workflowInfo } from '@temporalio/workflow';
import type { EntityView } from '../../domain/entity/view.ts';
import type { PublishAnswer } from '../messages.ts';
import { PATCHES } from '../patches.ts';
import { bridge, viewsInTask } from '../proxies.ts';
import { isLong } from './history.ts';

export type HandOver = (view: EntityView, summary: string) => Promise<PublishAnswer>;

/**
 * Hands views to the bridge: within the workflow task, which costs one event instead of six, and what the bridge does
 * not take in this way as an activity of the bridge, which is tried again without further events.
 *
 * One view of a task only: when a task is lost, its views are handed over again with the same revisions, and a second
 * one would be older than what the bridge has written. None in a task that ends the run: a signal that arrives
 * meanwhile makes Temporal repeat the task, and it may take as long as the API server takes.
 */
export function createHandOver(historyLimit: number | undefined): HandOver {
  /** Length of the history at the start of the last task that handed over a view. */
  let lastTask = -1;
  return (view, summary) => {
    // Runs from before the patch must not wait for one promise more than they did.
    if (!patched(PATCHES.fewerEvents)) return bridge(summary).publish({ view });
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
