import { pausedInWords } from '../../domain/entity/paused-run.ts';
import { messageOf } from '../../domain/message-of.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import type { Named } from '../../kube/paths.ts';
import { entityWorkflowId, view } from '../../workflows/messages.ts';
import { askTemporal, type Endpoints } from '../access.ts';
import type { OpenClient } from '../temporal-client.ts';

/** The part of a run's view that is explained. */
export interface RunSeen {
  readonly id: string;
  /** '' while it is busy. */
  readonly waitingFor: string;
  /** RFC 3339: the end of a wait for a time. */
  readonly until?: string;
  /** That somebody has paused it in Temporal; it answers nothing then. */
  readonly paused?: string;
  /** A request that is repeated, with the other side's last answer. */
  readonly retrying?: { readonly what: string; readonly since: string; readonly answer: string };
}

/** By object. Absent: the object has no run, or it was not asked. */
export interface RunsSeen {
  readonly host?: RunSeen;
  readonly machine?: RunSeen;
}

/** An object that has a run. */
export interface WithRun extends Named {
  readonly kind: FollowedKind['kind'];
}

/** Asks the run of each object; answers in the same order. A text: why it was not asked. */
export type AskRuns = (objects: readonly WithRun[]) => Promise<readonly (RunSeen | string)[] | TemporalDown>;

/** Temporal does not answer. */
export interface TemporalDown {
  readonly address: string;
  readonly why: string;
}

/** Time limit of a query, because without workers nothing answers it. */
const PATIENCE_MS = 5_000;

/** Asks runs, if the address of Temporal is known. */
export const askRuns =
  (endpoints: Endpoints): AskRuns =>
  async (objects) => {
    const ids = objects.map((object) => entityWorkflowId(object.kind, object));
    const answers = await askTemporal(endpoints, (temporal) =>
      Promise.all(objects.map((object) => runOf(temporal, object))),
    );
    switch (answers.kind) {
      case 'answer':
        return answers.of;
      case 'not asked':
        return ids.map((id) => `run ${id}: ${answers.message}`);
      case 'down':
        return answers;
    }
  };

async function runOf({ client, throwIfDown, pauseOf }: OpenClient, object: WithRun): Promise<RunSeen | string> {
  const id = entityWorkflowId(object.kind, object);
  try {
    const shown = await client.withDeadline(Date.now() + PATIENCE_MS, () => client.workflow.getHandle(id).query(view));
    if (shown === undefined) return `run ${id}: it has not begun yet`;
    const { waitingFor, until, retrying } = shown;
    return { id, waitingFor, ...(until !== undefined && { until }), ...(retrying !== undefined && { retrying }) };
  } catch (error) {
    await throwIfDown(error);
    const pause = await pauseOf(error, id);
    if (pause !== undefined)
      return { id, waitingFor: 'paused in Temporal', paused: pausedInWords(object.kind, id, pause) };
    return `run ${id}: ${messageOf(error)}`;
  }
}
