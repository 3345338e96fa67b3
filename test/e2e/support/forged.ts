import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Observation, Seen } from '../../../domain/entity/seen.ts';
import type { HostSnapshot } from '../../../domain/host/memory/snapshot.ts';
import { messageOf } from '../../../domain/message-of.ts';
import { nodeObserved, observed, view } from '../../../workflows/messages.ts';

/** Helpers for messages that a test sends to runs instead of the bridge, and for their effects. */

/** Whether the host of this run waits for this, and everything of it was written. */
export async function isAtRest(run: WorkflowHandle, waitingFor: string): Promise<boolean> {
  const shown = await run.query(view).catch(() => undefined);
  if (shown?.waitingFor !== waitingFor) return false;
  const { raw } = await run.describe();
  return [raw.pendingActivities, raw.pendingChildren].every((pending) => !pending?.length) && !raw.pendingWorkflowTask;
}

/** Whether the run has begun to do this since it got its last message about a node. */
export async function hasDone(run: WorkflowHandle, activity: string): Promise<boolean> {
  const events = (await run.fetchHistory()).events ?? [];
  const since = events.findLastIndex(
    ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === nodeObserved.name,
  );
  return activitiesIn(events.slice(since)).includes(activity);
}

/** What the run has begun to do, without what it has shown. */
export const activitiesOf = async (run: WorkflowHandle): Promise<readonly string[]> =>
  activitiesIn((await run.fetchHistory()).events ?? []).filter((activity) => activity !== 'publish');

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

const activitiesIn = (events: Events): readonly string[] =>
  events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? []);

/** The last snapshot that the bridge has sent to a run. */
export async function lastObserved<Snapshot extends Seen = HostSnapshot>(
  run: WorkflowHandle,
): Promise<Observation<Snapshot>> {
  const { events } = await run.fetchHistory();
  const [payload] = (events ?? [])
    .flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal?.signalName === observed.name ? [signal.input?.payloads?.[0]] : [],
    )
    .toReversed();
  if (payload == null) throw new Error('the run has no snapshot in its history');
  return defaultPayloadConverter.fromPayload(payload);
}

/** The message of an error and those of its causes. */
export function causesOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${causesOf(cause)}`;
}
