import { allHandlersFinished, CancellationScope, condition, makeContinueAsNewFunc } from '@temporalio/workflow';
import { defined } from '../../domain/defined.ts';
import { isBefore } from '../../domain/entity/order.ts';
import type { Seen } from '../../domain/entity/seen.ts';
import { type Staleness, staleAgain, staleInWords } from '../../domain/entity/stale.ts';
import { type State, shownOf } from '../../domain/entity/state.ts';
import { statusRow, waitOfRow } from '../../domain/entity/status-row.ts';
import type { EntityView } from '../../domain/entity/view.ts';
import { same } from '../../domain/same.ts';
import type { EntityOptions } from '../messages.ts';
import { bridge } from '../proxies.ts';
import { act } from './acting.ts';
import { writeDetails } from './details.ts';
import { handleMessages } from './handle-messages.ts';
import { interruptedByLength, isLong, isTooLong } from './history.ts';
import { createListing, listedAttributes } from './listing.ts';
import { createPublisher } from './publisher.ts';
import { createRefusals } from './refusals.ts';
import { changed, current, type Life, type Run, take, viewOf } from './run.ts';
import { createTimer } from './timer.ts';

/** What a run passes to the next one; plain JSON. */
export interface Carried<Memory> extends State<Memory> {
  /** The action that was interrupted because the run had become too long: it is continued, not started again. */
  readonly resuming?: unknown;
  /** Why the run waits for a new snapshot; absent when it knows enough. */
  readonly behind?: string;
  /** The last action for which the object did not ask. */
  readonly stale?: Staleness;
}

export interface EntityStart<Memory> {
  readonly options: EntityOptions;
  /** From the previous run; absent in the first, whose first snapshot has everything. */
  readonly carried?: Carried<Memory>;
}

/**
 * The life of one object: takes in snapshots, performs the next step of its entity, publishes its view. Ignores cancel
 * requests: the object still exists, and is deleted through the API server.
 */
export const live = <Snapshot extends Seen, Memory, Action, Answer>(
  life: Life<Snapshot, Memory, Action, Answer>,
  start: EntityStart<Memory>,
): Promise<void> => CancellationScope.nonCancellable(() => liveOn(life, start));

async function liveOn<Snapshot extends Seen, Memory, Action, Answer>(
  life: Life<Snapshot, Memory, Action, Answer>,
  { options, carried }: EntityStart<Memory>,
): Promise<void> {
  const { kind, entity } = life;
  const run: Run<Memory, Action> = { ...FRESH, ...begunFrom(carried) };
  const refusals = createRefusals(
    () => writeDetails(run, entity, refusals),
    () => run.state?.seen.uid,
  );
  handleMessages(run, life, refusals);
  await condition(() => run.state !== undefined);

  /** The revision of the last view that was handed over. */
  let lastHanded = 0;
  const publisher = createPublisher<EntityView>({
    shown: () => current(run).shown?.revision ?? 0,
    view: () => viewOf(run, kind, entity),
    hand(view) {
      const state = view.shown.state ?? entity.listed?.(current(run).memory).state ?? '';
      const row = statusRow({ ...run.row, state });
      run.row = { changedFields: '', wait: run.row.wait, waitBefore: run.row.wait };
      lastHanded = view.revision;
      return bridge(row).publish({ view });
    },
    taken(handed, answer) {
      const now = current(run);
      const view = (answer.kind === 'published' ? answer.instead : undefined) ?? handed;
      // The view is of another object of this name, or older than the snapshot with which the memory began anew.
      if (view.uid !== now.seen.uid || isBefore(view.order, now.begun)) return;
      if (answer.kind === 'behind') run.behind = 'the object knows more than this run';
      const what = shownOf(view);
      // The bridge's time: this task may run long after the answer, also in a Temporal that was restored from a backup.
      const at = (answer.kind === 'published' ? answer.at : undefined) ?? now.shown?.at;
      const generation = answer.kind === 'published' ? answer.generation : undefined;
      const isRaised = generation !== undefined && now.seen.generation === view.generation;
      // The snapshot of the new generation came first. With nothing else to show, its view is there as well.
      const isThereToo = generation !== undefined && isAlike(viewOf(run, kind, entity), { ...view, generation });
      run.state = {
        ...now,
        ...(isRaised && { seen: { ...now.seen, generation } }),
        shown: { revision: isThereToo ? now.revision : view.revision, what, ...(at !== undefined && { at }) },
      };
      if (entity.taken !== undefined) take(run, entity.taken(now.memory, what), entity);
      changed(run, entity);
      if (answer.kind === 'gone') run.isVanished = true;
    },
  });
  /** Begins or ends a wait that the timeline shows: the next view tells it, and there is one. */
  const showWait = (wait: string): void => {
    run.row = { ...run.row, wait };
    const { revision, shown } = current(run);
    if (wait === run.row.waitBefore || revision > Math.max(lastHanded, shown?.revision ?? 0)) return;
    run.state = { ...current(run), revision: revision + 1, at: Date.now() };
  };
  let background = 0;
  const inBackground = (doing: Promise<void>): void => {
    background += 1;
    void doing.finally(() => {
      background -= 1;
    });
  };
  const handled = (): Promise<void> => condition(() => allHandlersFinished() && background === 0);
  const settled = (): Promise<void> => condition(() => publisher.settled || isTooLong());
  const publish = (): Promise<void> => {
    publisher.offer();
    return settled();
  };
  const listing = createListing(run, kind, entity, options);
  const timer = createTimer();
  const perform = async (action: Action, isQuiet = false): Promise<void> => {
    const { isVanished } = run;
    const { order } = current(run);
    timer.set(undefined, '');
    run.offer = isQuiet ? undefined : () => publisher.offer();
    const onBegun = (): void => {
      writeDetails(run, entity, refusals);
      if (!isQuiet) publisher.offer();
    };
    const stale = await act(run, life, action, { onBegun, onOperation: listing.beforeOperation, inBackground });
    if (stale === undefined) return;
    // The object exists: the signal `vanished` was wrong.
    if (isVanished) run.isVanished = false;
    const hasChanged = current(run).order !== order;
    run.stale = staleAgain(hasChanged ? undefined : run.stale, stale, Date.now());
    if (run.stale.times > 0) await pause(run.stale);
    run.behind = stale;
    await askForSnapshot();
  };
  /** Waits before the run begins anew from its object again: for the time, or for a change of the object. */
  const pause = async (stale: Staleness): Promise<void> => {
    const { order } = current(run);
    run.waitingFor = staleInWords(stale);
    run.since = Date.now();
    run.until = stale.until;
    writeDetails(run, entity, refusals);
    timer.set(stale.until, run.waitingFor);
    const isOver = (): boolean => timer.isOver || run.isVanished || current(run).order !== order;
    await condition(() => isOver() || isLong(options.historyLimit));
    timer.set(undefined, '');
    run.until = undefined;
    if (current(run).order !== order) run.stale = undefined;
  };
  const askForSnapshot = async (): Promise<void> => {
    const scope = new CancellationScope();
    const asking = scope.run(() =>
      bridge(`Ask for the ${kind} as it is now`).publish({ view: viewOf(run, kind, entity) }),
    );
    await interruptedByLength(scope, asking);
  };

  // The previous run may have been continued as new before the bridge was asked.
  if (carried?.behind !== undefined) await askForSnapshot();
  for (;;) {
    if (run.isVanished) {
      const last = entity.afterVanishing?.(current(run).memory);
      if (last !== undefined) {
        await perform(last, true);
        continue;
      }
      await settled();
      await handled();
      if (run.isVanished) return;
    }
    const isOutdated = run.behind !== undefined;
    if (isLong(options.historyLimit)) {
      await settled();
      await handled();
      const { resuming, behind, stale } = run;
      const startNext = makeContinueAsNewFunc<(start: EntityStart<Memory>) => Promise<void>>({
        typedSearchAttributes: listedAttributes(),
      });
      await startNext({
        options,
        carried: {
          ...current(run),
          ...defined({ resuming, behind, stale }),
        },
      });
    }
    if (isOutdated) {
      run.waitingFor = `${run.behind}: waiting for a new snapshot from the bridge`;
      writeDetails(run, entity, refusals);
      await condition(() => run.behind === undefined || run.isVanished || isLong(options.historyLimit));
      continue;
    }
    const { memory, shown, revision, seen } = current(run);
    const step = entity.nextStep(memory, { now: Date.now(), shown: shown?.what ?? null });
    switch (step.kind) {
      case 'gone': {
        run.leaving = seen.uid;
        run.row = { ...run.row, wait: '' };
        run.state = { ...current(run), revision: revision + 1, at: Date.now() };
        await publish();
        await handled();
        if (publisher.settled && current(run).seen.uid === seen.uid && run.behind === undefined) return;
        run.leaving = undefined;
        break;
      }
      case 'note':
        take(run, step.memory, entity);
        break;
      case 'become':
        // Messages that arrive while the state is written may change the decision.
        if ((shown?.what.state ?? '') === (entity.show(memory).state ?? '')) take(run, step.memory, entity);
        else await publish();
        break;
      case 'show':
        if ((shown?.revision ?? 0) >= revision)
          throw new Error(`${kind}: the step 'show' was returned although everything is shown`);
        await publish();
        break;
      case 'act':
        if (step.quiet !== true) run.row = { ...run.row, wait: '' };
        await perform(life.withDrawn?.(step.action) ?? step.action, step.quiet);
        break;
      case 'wait': {
        if (run.waitingFor !== step.reason) run.since = Date.now();
        run.waitingFor = step.reason;
        run.until = step.until;
        // A quiet wait with an end is short: the host is in its next state soon.
        if (step.quiet !== true || step.until === undefined) listing.beforeWait();
        writeDetails(run, entity, refusals);
        timer.set(step.until, step.cause ?? step.reason);
        listing.afterTimer();
        const before = run.changes;
        if (step.quiet !== true) {
          showWait(waitOfRow(step, entity.listed?.(memory).waitsFor));
          publisher.offer();
        }
        await condition(() => run.changes !== before || timer.isOver || isLong(options.historyLimit));
        run.until = undefined;
        break;
      }
    }
  }
}

const FRESH = {
  state: undefined,
  changes: 0,
  row: { changedFields: '', wait: '', waitBefore: '' },
  isVanished: false,
  behind: undefined,
  stale: undefined,
  waitingFor: '',
  since: undefined,
  until: undefined,
  retrying: undefined,
  failing: undefined,
  inHand: undefined,
  offer: undefined,
  resuming: undefined,
  leaving: undefined,
};

function begunFrom<Memory>(
  carried: Carried<Memory> | undefined,
): Partial<Pick<Run<Memory, unknown>, 'state' | 'resuming' | 'behind' | 'stale'>> {
  if (carried === undefined) return {};
  const { resuming, behind, stale, ...state } = carried;
  return { state, resuming, behind, stale };
}

/** True when two views of a run would be written alike. */
const isAlike = (view: EntityView, other: EntityView): boolean =>
  view.generation === other.generation &&
  view.leaving === other.leaving &&
  view.behind === other.behind &&
  view.reset === other.reset &&
  same(shownOf(view), shownOf(other));
