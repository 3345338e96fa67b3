import { setHandler } from '@temporalio/workflow';
import { withChangedFields } from '../../domain/entity/changed-fields.ts';
import { failingRequest, observationOf, vanishing } from '../../domain/entity/message-shapes.ts';
import { isFarAhead } from '../../domain/entity/order.ts';
import type { Observation, Seen } from '../../domain/entity/seen.ts';
import { observedNext, withKnown } from '../../domain/entity/state.ts';
import { observed, type PublishActivities, requestFailing, vanished, view } from '../messages.ts';
import { checkedMessages } from './checked-messages.ts';
import { writeDetails } from './details.ts';
import type { Refusals } from './refusals.ts';
import { changed, current, type Life, type Run, setFailing, take, viewOf } from './run.ts';

/** The activity that hands a view to the bridge. */
const PUBLISH: keyof PublishActivities = 'publish';

/** Sets the handlers of a run's messages. */
export function handleMessages<Snapshot extends Seen, Memory, Action, Answer>(
  run: Run<Memory, Action>,
  { kind, entity, handleOwnMessages }: Life<Snapshot, Memory, Action, Answer>,
  refusals: Refusals,
): void {
  /** Throws for a memory that the entity cannot process: the message is then refused, and the memory is not stored. */
  const mustBeProcessable = (memory: Memory): void => {
    entity.show(memory);
    if (run.inHand !== undefined) entity.stillWanted?.(memory, run.inHand.action);
    entity.nextStep(memory, { now: Date.now(), shown: run.state?.shown?.what ?? null });
  };
  const messages = checkedMessages<Memory>({
    refusals,
    known: () =>
      run.state && {
        uid: run.state.seen.uid,
        memory: run.state.memory,
        isVanished: run.isVanished,
        isBusy: run.inHand !== undefined,
      },
    take(memory) {
      if (memory === current(run).memory) return;
      mustBeProcessable(memory);
      take(run, memory, entity);
      changed(run, entity);
      // The details must not wait for the end of a long action.
      writeDetails(run, entity, refusals);
    },
  });
  messages.signal(observed, {
    description: `The whole ${kind} as it is now; sent by the bridge`,
    shape: observationOf(entity.snapshot),
    onSignal(observation) {
      const sent = observation as Observation<Snapshot>;
      if (isFarAhead(sent.order, run.state?.order)) throw new RangeError(`no bridge has the epoch ${sent.order.epoch}`);
      const now = Date.now();
      const taken = run.behind === undefined ? sent : { ...sent, anew: true as const };
      const known = observedNext(run.state, taken, entity, now);
      if (known === undefined) return;
      mustBeProcessable(known.memory);
      const begins = run.state?.begun !== known.begun;
      if (!begins && run.state !== undefined) {
        const words = entity.changeInWords?.(run.state.memory, known.memory) ?? '';
        run.row = { ...run.row, changedFields: withChangedFields(run.row.changedFields, words) };
      }
      const hasMoved = run.state !== undefined && run.state.seen.generation !== known.seen.generation;
      run.state = withKnown(run.state, known, entity, now);
      if (begins) run.inHand?.scope.cancel();
      run.isVanished = false;
      run.behind = undefined;
      changed(run, entity);
      // The view is published during a long action too: clients wait until the conditions have the current generation.
      if (hasMoved && run.inHand !== undefined) run.offer?.();
    },
  });
  messages.signal(vanished, {
    description: `The ${kind} of this uid no longer exists; sent by the bridge`,
    shape: vanishing,
    onSignal({ uid }) {
      if (run.state?.seen.uid !== uid) return;
      run.isVanished = true;
      run.changes += 1;
      run.inHand?.scope.cancel();
    },
  });
  messages.signal(requestFailing, {
    description: 'A request has failed at least three times, or it succeeded after that; sent by the workers',
    shape: failingRequest,
    onSignal(failing) {
      const of = run.inHand === undefined ? '' : `${entity.summaryOf(run.inHand.action)}: `;
      run.retrying = failing === null ? undefined : { ...failing, what: `${of}${failing.what}` };
      // When publishing itself fails, another view would not help.
      if (run.inHand !== undefined && failing?.what !== PUBLISH) {
        setFailing(run, run.retrying, entity);
        run.offer?.();
      }
      writeDetails(run, entity, refusals);
    },
  });
  handleOwnMessages?.(messages);
  setHandler(view, () => (run.state === undefined ? undefined : viewOf(run, kind, entity)), {
    description: `What the ${kind} should show, and why it waits`,
  });
}
