import { patched, TemporalFailure } from '@temporalio/workflow';
import type { EntityView } from '../../domain/entity/view.ts';
import type { PublishAnswer } from '../messages.ts';
import { PATCHES } from '../patches.ts';
import { bridge, viewsInTask } from '../proxies.ts';

/**
 * Hands a view to the bridge: first within the workflow task, which costs one event instead of six; what the bridge does
 * not take in this way becomes an activity of the bridge, which is tried again without further events.
 */
export function handOver(view: EntityView, summary: string): Promise<PublishAnswer> {
  // Runs from before the patch must not wait for one promise more than they did.
  return patched(PATCHES.fewerEvents) ? handOverInTask(view, summary) : bridge(summary).publish({ view });
}

async function handOverInTask(view: EntityView, summary: string): Promise<PublishAnswer> {
  try {
    const answer = await viewsInTask(summary).handOverView({ view });
    if (answer.kind !== 'not taken') return answer;
  } catch (error) {
    // Its time was up, or workers of another version do not know it.
    if (!(error instanceof TemporalFailure)) throw error;
  }
  return bridge(summary).publish({ view });
}
