import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { Entity, Outcome } from '../../domain/entity/entity.ts';
import { isOlder, type Seen } from '../../domain/entity/seen.ts';
import type { EntityView, Shown } from '../../domain/entity/view.ts';
import { same } from '../../domain/same.ts';
import { bridge } from '../proxies.ts';
import { createPublisher } from '../publisher.ts';
import { type EntityOptions, observed, vanished, view } from './messages.ts';

/** Events after which a run is continued as new, between two actions. */
const HISTORY_LIMIT = 500;

/** What a run hands to the next one; plain JSON. */
export interface Carried<Memory> {
  readonly seen: Seen;
  readonly memory: Memory;
  readonly revision: number;
  /** The last that the bridge took. */
  readonly shown: { readonly revision: number; readonly what: Shown } | null;
}

export interface EntityStart<Memory> {
  readonly options: EntityOptions;
  /** From the run before; absent in the first, whose first snapshot tells all. */
  readonly carried?: Carried<Memory>;
}

export interface Life<Snapshot extends Seen, Memory, Action, Answer> {
  /** As the API server calls it. */
  readonly kind: string;
  readonly entity: Entity<Snapshot, Memory, Action, Answer>;
  readonly perform: (action: Action, summary: string) => Promise<Answer>;
}

/**
 * The life of one object: hears what it is, does what its entity says is next, shows what it says is to be seen. A
 * request to cancel it changes nothing: the object is still there, and is deleted through the API server.
 */
export const live = <Snapshot extends Seen, Memory, Action, Answer>(
  life: Life<Snapshot, Memory, Action, Answer>,
  start: EntityStart<Memory>,
): Promise<void> => CancellationScope.nonCancellable(() => run(life, start));

async function run<Snapshot extends Seen, Memory, Action, Answer>(
  { kind, entity, perform }: Life<Snapshot, Memory, Action, Answer>,
  { options, carried }: EntityStart<Memory>,
): Promise<void> {
  let state = carried;
  let changes = 0;
  let isVanished = false;
  let waitingFor = '';
  let inHand: { readonly action: Action; readonly uid: string; readonly scope: CancellationScope } | undefined;
  /** The uid whose finalizer may go. */
  let leaving: string | undefined;
  const firstRun = workflowInfo().firstExecutionRunId;

  /** The state at this moment; a signal may change it during any await. */
  const current = (): Carried<Memory> => state as Carried<Memory>;
  const whatToShow = (now: Carried<Memory>): Shown => entity.show(now.memory);
  /** Takes on a memory; the revision moves when something else is to be shown because of it. */
  const take = (memory: Memory, seen: Seen = current().seen): void => {
    const before = state;
    const isAnother = before !== undefined && before.seen.uid !== seen.uid;
    const next = { seen, memory, revision: before?.revision ?? 0, shown: isAnother ? null : (before?.shown ?? null) };
    const isNews =
      before === undefined ||
      isAnother ||
      before.seen.generation !== seen.generation ||
      !same(whatToShow(before), whatToShow(next));
    state = isNews ? { ...next, revision: next.revision + 1 } : next;
  };
  const hear = (snapshot: Seen): void => {
    if (state !== undefined && isOlder(snapshot, state.seen)) return;
    const seen = snapshot as Snapshot;
    const isSame = state?.seen.uid === seen.uid;
    take(isSame ? entity.absorb(current().memory, seen) : entity.begin(seen), identityOf(seen));
    isVanished = false;
    changes += 1;
    const stale =
      inHand !== undefined && (inHand.uid !== seen.uid || !entity.stillWanted(current().memory, inHand.action));
    if (stale) inHand?.scope.cancel();
  };
  setHandler(observed, hear, { description: `The ${kind} as it is now, whole; sent by the bridge` });
  setHandler(
    vanished,
    ({ uid }) => {
      if (state?.seen.uid !== uid) return;
      isVanished = true;
      changes += 1;
      inHand?.scope.cancel();
    },
    { description: `The ${kind} of this uid no longer exists; sent by the bridge` },
  );
  const viewNow = (): EntityView => {
    const { seen, revision } = current();
    const { namespace, name, uid, generation } = seen;
    return {
      ...whatToShow(current()),
      kind,
      namespace,
      name,
      uid,
      generation,
      ...(uid === leaving && { leaving: true }),
      run: firstRun,
      revision,
      waitingFor,
    };
  };
  setHandler(view, () => (state === undefined ? undefined : viewNow()), {
    description: `What the ${kind} should show, and why it waits`,
  });

  await condition(() => state !== undefined);

  const publisher = createPublisher<EntityView>({
    shown: () => current().shown?.revision ?? 0,
    view: viewNow,
    hand: (next) => bridge(`Show it on the ${kind}`).publishEntity({ view: next }),
    taken: (next, answer) => {
      if (next.uid !== current().seen.uid) return;
      state = { ...current(), shown: { revision: next.revision, what: shownOf(next) } };
      if (answer === 'gone') isVanished = true;
      changes += 1;
    },
  });
  const publish = async (): Promise<void> => {
    publisher.offer();
    await publisher.settled();
  };

  const act = async (action: Action): Promise<void> => {
    const { uid } = current().seen;
    waitingFor = '';
    publisher.offer();
    const scope = new CancellationScope();
    inHand = { action, uid, scope };
    const outcome = await scope
      .run(() => perform(action, entity.summaryOf(action)))
      .then(
        (answer): Outcome<Answer> => ({ kind: 'done', answer }),
        (error) => toOutcome(error, scope),
      );
    inHand = undefined;
    if (current().seen.uid !== uid) return;
    take(entity.record(current().memory, action, outcome, { now: Date.now(), dice: Math.random() }));
  };

  for (;;) {
    if (isVanished) {
      await publisher.settled();
      if (isVanished) return;
    }
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (historyLength > (options.historyLimit ?? HISTORY_LIMIT) || continueAsNewSuggested) {
      await publish();
      await condition(allHandlersFinished);
      await continueAsNew<(start: EntityStart<Memory>) => Promise<void>>({ options, carried: current() });
    }
    const step = entity.nextStep(current().memory, { now: Date.now(), shown: current().shown?.what ?? null });
    switch (step.kind) {
      case 'gone': {
        const { uid } = current().seen;
        leaving = uid;
        state = { ...current(), revision: current().revision + 1 };
        await publish();
        if (current().seen.uid === uid) return;
        break;
      }
      case 'note':
        take(step.memory);
        break;
      case 'show':
        if ((current().shown?.revision ?? 0) >= current().revision) throw new Error(`${kind}: that is shown already`);
        await publish();
        break;
      case 'act':
        await act(step.action);
        break;
      case 'wait': {
        waitingFor = step.reason;
        setCurrentDetails(entity.detailsOf(current().memory, step.reason));
        const before = changes;
        publisher.offer();
        const isChanged = (): boolean => changes !== before;
        if (step.until === undefined) await condition(isChanged);
        else {
          const summary = step.reason.slice(0, 190);
          await condition(isChanged, Math.max(step.until - Date.now(), 1), { summary });
        }
        break;
      }
    }
  }
}

function identityOf(seen: Seen): Seen {
  const { namespace, name, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = seen;
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}

function shownOf(view: EntityView): Shown {
  const {
    kind: _,
    namespace: __,
    name: ___,
    uid: ____,
    generation: _5,
    leaving: _6,
    run: _7,
    revision: _8,
    waitingFor: _9,
    ...shown
  } = view;
  return shown;
}

/**
 * What an activity threw, as data: a cancellation was our own, anything else is a failure that is told of. Temporal tries
 * what is cancelled only once: that nothing was heard of it any more is no failure.
 */
function toOutcome(error: unknown, { consideredCancelled }: CancellationScope): Outcome<never> {
  if (isCancellation(error)) return { kind: 'cancelled' };
  const cause = error instanceof ActivityFailure && error.cause !== undefined ? error.cause : error;
  if (cause instanceof TimeoutFailure && consideredCancelled) return { kind: 'cancelled' };
  return { kind: 'failed', message: cause instanceof Error ? cause.message : String(cause) };
}
