import type { Client } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { z } from 'zod';
import { defined } from '../../domain/defined.ts';
import { pausedInWords } from '../../domain/entity/paused-run.ts';
import { messageOf } from '../../domain/message-of.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import type { Named } from '../../kube/paths.ts';
import { entityWorkflowId, view } from '../../workflows/messages.ts';
import { askTemporal, type Endpoints, temporalCommandOf } from '../access.ts';
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
  /** What Ironic does with the node, as the wait for it has shown at most a quarter of a minute ago. */
  readonly ironic?: NodeProgress;
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
  /** In words. */
  readonly where: string;
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
      Promise.all(objects.map((object) => runOf(temporal, object, temporalCommandOf(endpoints)))),
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

async function runOf(
  { client, throwIfDown, pauseOf }: OpenClient,
  object: WithRun,
  temporalCommand: string,
): Promise<RunSeen | string> {
  const id = entityWorkflowId(object.kind, object);
  try {
    const [shown, ironic] = await client.withDeadline(Date.now() + PATIENCE_MS, () =>
      Promise.all([
        client.workflow.getHandle(id).query(view),
        // Whatever fails here, the answer of the run tells more.
        progressIn(client, id).catch(() => undefined),
      ]),
    );
    if (shown === undefined) return `run ${id}: it has not begun yet`;
    const { waitingFor, until, retrying } = shown;
    return { id, waitingFor, ...defined({ ironic, until, retrying }) };
  } catch (error) {
    await throwIfDown(error);
    const pause = await pauseOf(error, id);
    if (pause !== undefined)
      return { id, waitingFor: 'paused in Temporal', paused: pausedInWords(object.kind, id, pause, temporalCommand) };
    return `run ${id}: ${messageOf(error)}`;
  }
}

const progress = z.object({ state: z.string(), step: z.string().optional() });
type NodeProgress = z.infer<typeof progress>;

/** The wait for a node shows with its heartbeats what Ironic does: in the run of the host, or in that of its operation. */
async function progressIn(client: Client, id: string): Promise<NodeProgress | undefined> {
  const describe = async (run: string) => (await client.workflow.getHandle(run).describe()).raw;
  const host = await describe(id);
  const children = await Promise.all((host.pendingChildren ?? []).map(({ workflowId }) => describe(workflowId ?? '')));
  const beats = [host, ...children].flatMap(({ pendingActivities }) =>
    (pendingActivities ?? []).flatMap(({ activityType, heartbeatDetails }) =>
      activityType?.name === 'waitForNode' && heartbeatDetails?.payloads?.length ? [heartbeatDetails.payloads] : [],
    ),
  );
  const [beat] = beats;
  if (beat === undefined) return undefined;
  return progress.safeParse(await decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, beat)).data;
}
