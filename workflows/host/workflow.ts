import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  TimeoutFailure,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { slotAnswered as withSlotAnswer } from '../../domain/host/capacity/slot-record.ts';
import { stillWanted } from '../../domain/host/desired/still-wanted.ts';
import { asksForMore } from '../../domain/host/memory/asks-for-more.ts';
import { absorb, begin, type HostMemory, withShown } from '../../domain/host/memory/memory.ts';
import { nodeObserved as withObservation } from '../../domain/host/memory/node-observed.ts';
import { nextStep } from '../../domain/host/next-step.ts';
import { record, startOf } from '../../domain/host/outcome/record.ts';
import { toView } from '../../domain/host/report/to-view.ts';
import { detailsOf } from '../../domain/host/report/words.ts';
import type { Outcome, Task } from '../../domain/host/step.ts';
import { bridge } from '../proxies.ts';
import { createPublisher } from '../publisher.ts';
import { TEMPER_STATE } from '../search-attributes.ts';
import { handleClaims } from './claims.ts';
import { type HostOptions, hostObserved, hostVanished, hostView, nodeObserved, slotAnswered } from './messages.ts';
import { perform } from './perform.ts';
import { runOperation } from './run-operation.ts';

/** Events after which a run is continued as new, between two operations. */
const HISTORY_LIMIT = 500;

export interface HostStart {
  readonly options: HostOptions;
  /** From the run before; absent in the first, whose first snapshot tells all. */
  readonly memory?: HostMemory;
}

/**
 * One bare-metal host, alive as long as its BareMetalHost. Knows Secrets by name and version only. A request to cancel
 * it changes nothing: the host is still there, and it is deleted, or paused, through its BareMetalHost.
 */
export const hostWorkflow = (start: HostStart): Promise<void> =>
  CancellationScope.nonCancellable(() => liveHost(start));

async function liveHost({ options, memory: carried }: HostStart): Promise<void> {
  let memory = carried;
  let changes = 0;
  let inHand: { readonly task: Task; readonly uid: string; readonly scope: CancellationScope } | undefined;
  /** The uid whose finalizer may go. */
  let leaving: string | undefined;
  const run = workflowInfo().firstExecutionRunId;

  const change = (next: HostMemory): void => {
    if (next === memory) return;
    memory = next;
    changes += 1;
    if (inHand !== undefined && !stillWanted(next, inHand.task, inHand.uid)) inHand.scope.cancel();
  };
  setHandler(hostObserved, (seen) => change(memory === undefined ? begin(seen) : absorb(memory, seen)), {
    description: 'The BareMetalHost as it is now, whole; sent by the bridge',
  });
  setHandler(
    hostVanished,
    ({ uid }) => {
      if (memory !== undefined && memory.seen.uid === uid) change({ ...memory, vanished: true });
    },
    { description: 'The BareMetalHost of this uid no longer exists; sent by the bridge' },
  );
  setHandler(
    nodeObserved,
    (observation) => {
      // What is being done changes the node too: what comes of it is told when it ends.
      if (memory !== undefined && inHand === undefined) change(withObservation(memory, observation));
    },
    { description: 'The node as it was seen in Ironic while nothing was asked of it; sent by the bridge' },
  );
  setHandler(
    slotAnswered,
    (answer) => {
      if (memory !== undefined) change(withSlotAnswer(memory, answer));
    },
    { description: 'A slot in Ironic, or how many are ahead; sent by the workflow that hands slots out' },
  );
  setHandler(hostView, () => (memory === undefined ? undefined : toView(memory, run)), {
    description: 'What the status of the BareMetalHost should be, and why the host waits',
  });

  handleClaims({ memory: () => memory, change });

  await condition(() => memory !== undefined);
  /** The memory as it is at this moment; a signal may change it during any await. */
  const current = (): HostMemory => memory as HostMemory;

  const publisher = createPublisher({
    shown: () => current().shown,
    view: () => toView(current(), run, current().seen.uid === leaving),
    hand: (view) => {
      const { state } = view.status.provisioning;
      return bridge(`Show ${state === '' ? 'the host' : state} on the BareMetalHost`).publishHost({ view });
    },
    taken: (view, answer) => {
      memory = withShown(current(), view);
      if (answer === 'gone' && view.uid === memory.seen.uid) change({ ...memory, vanished: true });
    },
  });

  /** Does one task and books how it ended; given up when the wish changes meanwhile. */
  const work = async (task: Task, doIt: () => Promise<Outcome>): Promise<void> => {
    memory = { ...startOf(current(), task), waitingFor: '' };
    publisher.offer();
    const before = current().seen;
    const { uid } = before;
    const scope = new CancellationScope();
    inHand = { task, uid, scope };
    const outcome = await scope.run(doIt).catch((error) => toOutcome(error, scope.consideredCancelled));
    inHand = undefined;
    const now = current();
    if (now.seen.uid !== uid) return;
    const recorded = record(now, task, outcome, { now: Date.now(), dice: Math.random() });
    // What was changed meanwhile is tried at once, as if the attempt had failed before the change.
    memory = asksForMore(recorded, before, recorded.seen) ? { ...recorded, retry: null } : recorded;
  };

  for (;;) {
    if (
      workflowInfo().historyLength > (options.historyLimit ?? HISTORY_LIMIT) ||
      workflowInfo().continueAsNewSuggested
    ) {
      publisher.offer();
      await publisher.settled();
      await condition(allHandlersFinished);
      await continueAsNew<typeof hostWorkflow>({ options, memory: current() });
    }
    const step = nextStep(current(), Date.now());
    switch (step.kind) {
      case 'gone': {
        const { uid } = current().seen;
        leaving = uid;
        memory = { ...current(), revision: current().revision + 1 };
        publisher.offer();
        await publisher.settled();
        if (current().seen.uid === uid) {
          await condition(allHandlersFinished);
          return;
        }
        break;
      }
      case 'become':
        // The state that is being left must have been shown; what arrives while it is may change the decision.
        if (current().shownState !== current().status.provisioning.state) {
          publisher.offer();
          await publisher.settled();
          break;
        }
        memory = step.memory;
        upsertSearchAttributes([{ key: TEMPER_STATE, value: step.state }]);
        setCurrentDetails(detailsOf(current()));
        break;
      case 'note':
        memory = step.memory;
        break;
      case 'show':
        publisher.offer();
        await publisher.settled();
        memory = { ...current(), shownPower: current().status.poweredOn };
        break;
      case 'act': {
        const { action } = step;
        if (action.name === 'hold') {
          publisher.offer();
          await work(action, async () => {
            await publisher.settled();
            return { kind: 'done' };
          });
        } else await work(action, () => perform(action));
        break;
      }
      case 'run': {
        const { operation } = step;
        memory = { ...current(), operations: current().operations + 1 };
        const { operations } = current();
        await work(operation, () => runOperation(operation, operations));
        break;
      }
      case 'wait': {
        memory = { ...current(), waitingFor: step.reason };
        setCurrentDetails(detailsOf(current()));
        if (step.quiet !== true) publisher.offer();
        await changed(step.until, step.reason);
        break;
      }
    }
  }

  /** Until a signal changes the memory, or the moment comes. */
  async function changed(until: number | undefined, reason: string): Promise<void> {
    const before = changes;
    const isChanged = (): boolean => changes !== before;
    if (until === undefined) await condition(isChanged);
    else await condition(isChanged, Math.max(until - Date.now(), 1), { summary: reason.slice(0, 190) });
  }
}

/**
 * What a task threw, as data: a cancellation was our own, anything else is a failure that is shown. Temporal tries what is
 * cancelled only once: that nothing was heard of it any more says nothing of Ironic.
 */
function toOutcome(error: unknown, isGivenUp: boolean): Outcome {
  if (isCancellation(error)) return { kind: 'cancelled' };
  const cause = innermost(error);
  if (cause instanceof TimeoutFailure && isGivenUp) return { kind: 'cancelled' };
  if (cause instanceof TimeoutFailure)
    return { kind: 'failed', message: `Ironic did not finish in time: ${outermost(error)}` };
  return { kind: 'failed', message: cause instanceof Error ? cause.message : String(cause) };
}

/** What was being done when the time was over, in Temporal's words: which activity or child. */
const outermost = (error: unknown): string =>
  error instanceof ActivityFailure
    ? error.activityType
    : error instanceof ChildWorkflowFailure
      ? (error.workflowType ?? '')
      : '';

const innermost = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? innermost(error.cause) : error;
