import { type CancellationScope, workflowInfo } from '@temporalio/workflow';
import { defined } from '../../domain/defined.ts';
import type { Entity } from '../../domain/entity/entity.ts';
import { withFailingRequest } from '../../domain/entity/failing-request.ts';
import type { Seen } from '../../domain/entity/seen.ts';
import type { Staleness } from '../../domain/entity/stale.ts';
import { eventId, type State, withKnown } from '../../domain/entity/state.ts';
import type { StatusRow } from '../../domain/entity/status-row.ts';
import type { EntityView, Retrying } from '../../domain/entity/view.ts';
import { same } from '../../domain/same.ts';
import type { CheckedMessages } from './checked-messages.ts';

/** What an action gets from the run that performs it. */
export interface Performing {
  readonly summary: string;
  /** Number of the next operation: child workflows are numbered through. */
  readonly nextNumber: () => number;
  /** Why the action is no longer wanted, in words; undefined: it is, or nobody knows. */
  readonly cancellationReason: () => string | undefined;
  /** Work that may go on during the next steps. It must not fail; the run does not end before it. */
  readonly inBackground: (doing: Promise<void>) => void;
}

/** What a kind adds to the life that all kinds share. */
export interface Life<Snapshot extends Seen, Memory, Action, Answer> {
  /** The kind's name in the API. */
  readonly kind: string;
  readonly entity: Entity<Snapshot, Memory, Action, Answer>;
  readonly perform: (action: Action, performing: Performing) => Promise<Answer>;
  /** Adds what is drawn at random to an action that begins. */
  readonly withDrawn?: (action: Action) => Action;
  /** Sets handlers for messages that only this kind takes. */
  readonly handleOwnMessages?: (messages: CheckedMessages<Memory>) => void;
}

/** What one run knows at this moment. Messages change it during any await. */
export interface Run<Memory, Action> {
  /** Undefined before the first snapshot. */
  state: State<Memory> | undefined;
  /** Incremented by every change that may lead to another step. */
  changes: number;
  /** What the row of the timeline tells with which the next view is published, besides its state. */
  row: Omit<StatusRow, 'state'>;
  /** The object was deleted although it had our finalizer. */
  isVanished: boolean;
  /**
   * Why the run knows less than the object shows: it was reset, or Temporal's database was restored. It does nothing
   * until the bridge sends a new snapshot. undefined: it knows enough.
   */
  behind: string | undefined;
  /** The last action for which the object did not ask; undefined: none, or the object has changed since. */
  stale: Staleness | undefined;
  /** Why the run waits, in words; '' while it is busy. */
  waitingFor: string;
  /** Begin of the wait or of the action, for people; ms since the epoch. */
  since: number | undefined;
  /** ms since the epoch. */
  until: number | undefined;
  retrying: Retrying | undefined;
  /** The failing request that the object shows; undefined: the object shows none. */
  failing: Retrying | undefined;
  inHand: { readonly action: Action; readonly scope: CancellationScope } | undefined;
  /** Publishes the current view during an action; undefined during a short one, after which it is published. */
  offer: (() => void) | undefined;
  /** The action that the previous run was performing when it ended. */
  resuming: unknown;
  /** The uid whose finalizer may be removed. */
  leaving: string | undefined;
}

/** The state of a run that has had its first snapshot. */
export const current = <Memory>({ state }: Run<Memory, unknown>): State<Memory> => state as State<Memory>;

/** Stores a memory. */
export function take<Memory>(run: Run<Memory, unknown>, memory: Memory, entity: Showing<Memory>): void {
  run.state = withKnown(current(run), { ...current(run), memory }, entity, Date.now());
}
type Showing<Memory> = Pick<Entity<never, Memory, never, never>, 'show'>;

/** After a change: the next step is decided again, and the running action is cancelled if it is no longer wanted. */
export function changed<Memory, Action>(
  run: Run<Memory, Action>,
  { stillWanted }: Pick<Entity<never, Memory, Action, never>, 'stillWanted'>,
): void {
  run.changes += 1;
  if (run.inHand === undefined) return;
  if (run.behind !== undefined || stillWanted?.(current(run).memory, run.inHand.action) === false)
    run.inHand.scope.cancel();
}

/** Stores whether the object shows that a request keeps failing, for kinds with conditions for that. */
export function setFailing<Memory>(
  run: Run<Memory, unknown>,
  failing: Retrying | undefined,
  { show }: Showing<Memory>,
): void {
  const { state, failing: before } = run;
  if (state === undefined || same(before, failing)) return;
  run.failing = failing;
  const shown = show(state.memory);
  if (same(withFailingRequest(shown, before), withFailingRequest(shown, failing))) return;
  run.state = { ...state, revision: state.revision + 1, at: Date.now() };
}

/** The current view of the object. */
export function viewOf<Memory>(run: Run<Memory, unknown>, kind: string, { show }: Showing<Memory>): EntityView {
  const { leaving, waitingFor, until, retrying, failing, behind } = run;
  const { seen, revision, at, order, begun, begunFor, shown: accepted, memory } = current(run);
  const { runId, originalExecutionRunId, firstExecutionRunId } = workflowInfo();
  // A reset gives the run another id. It knows the present only after a snapshot that was sent for this id.
  const isFromPast = runId !== originalExecutionRunId && begunFor !== runId;
  const { namespace, name, uid, generation, resourceVersion } = seen;
  const { events, ...shown } = withFailingRequest(show(memory), failing);
  return {
    shown: {
      ...shown,
      ...(events && { events: events.map((event) => ({ ...event, id: eventId({ begun }, event.id) })) }),
    },
    kind,
    namespace,
    name,
    uid,
    generation,
    ...(uid === leaving && { leaving: true }),
    run: firstExecutionRunId,
    ...(isFromPast && { reset: runId }),
    revision,
    at,
    order,
    resourceVersion,
    ...defined({ shownAt: accepted?.at, shownState: accepted?.what.state, behind }),
    waitingFor,
    ...(until !== undefined && { until: new Date(until).toISOString() }),
    ...(retrying !== undefined && { retrying }),
  };
}
