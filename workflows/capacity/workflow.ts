import { allHandlersFinished, CancellationScope, condition, continueAsNew, setHandler } from '@temporalio/workflow';
import {
  ask,
  type Capacity,
  giveBack,
  grant,
  mayGrant,
  NOBODY,
  places,
  type SlotApplicant,
} from '../../domain/capacity/capacity.ts';
import { slotRequest } from '../../domain/capacity/message-shapes.ts';
import { detailsOf } from '../../domain/capacity/words.ts';
import { joined } from '../../domain/entity/markdown.ts';
import type { SlotAnswer } from '../../domain/host/memory/slot-record.ts';
import { filledText, list } from '../../domain/message/shape.ts';
import { checkedSignals } from '../life/checked-messages.ts';
import { interruptedByLength, isLong, isLongWhileWaiting } from '../life/history.ts';
import { createRefusals } from '../life/refusals.ts';
import { showDetails } from '../life/show-details.ts';
import { isSignalled } from '../life/signal-run.ts';
import { slotAnswered } from '../messages.ts';
import { ironic } from '../proxies.ts';
import { capacityView, slotAsked, slotsReturned } from './messages.ts';

/** Events after which a run is continued as new. */
const HISTORY_LIMIT = 1_000;
/** Hosts that are signalled at the same time; a thousand at once would delay Temporal. */
const TOLD_AT_ONCE = 20;
/** While hosts wait: pause before Ironic's nodes are listed again when it was busy with nodes without a slot. */
const LOOK_AGAIN = '15 seconds';
/** While hosts wait: interval at which the holders of slots are asked whether they still need them. */
const CHECK_AGAIN_MS = 60_000;

export interface CapacityStart {
  /** The slots and the queue of the previous run. */
  readonly capacity?: Capacity;
  /** When the holders of slots are asked next, while hosts wait; ms since the epoch. */
  readonly checkAt?: number;
}

/**
 * Grants slots in the order of the requests, and only after a list of Ironic's nodes: busy nodes without a slot count
 * too, because a lost database or a reset makes this workflow forget slots. Ignores cancel requests; when terminated,
 * the next request starts it again.
 */
export const capacityWorkflow = (start: CapacityStart): Promise<void> =>
  CancellationScope.nonCancellable(() => serve(start));

async function serve({ capacity: carried = NOBODY, checkAt: checkedBy }: CapacityStart): Promise<void> {
  let capacity = carried;
  /** A request does not postpone this time: with many hosts, requests arrive all the time. */
  let checkAt = checkedBy ?? Date.now() + CHECK_AGAIN_MS;
  /**
   * Tickets that are returned. They are processed before a list of nodes, never during one: a node that the list shows
   * as idle must not have been started since.
   */
  let returned: readonly string[] = [];
  let changes = 0;

  const refusals = createRefusals(
    () => showDetails(joined([detailsOf(capacity), refusals.line], '')),
    () => undefined,
  );
  const signal = checkedSignals(refusals);
  signal(slotAsked, {
    description: 'A host requests a slot; sent by its workflow',
    shape: slotRequest,
    onSignal(request) {
      capacity = ask(capacity, request);
      changes += 1;
    },
  });
  signal(slotsReturned, {
    description: 'A host returns its slot or its place in the queue; sent by its workflow',
    shape: list(filledText),
    onSignal(tickets) {
      returned = [...returned, ...tickets];
      changes += 1;
    },
  });
  setHandler(capacityView, () => capacity, { description: 'Who has a slot and who waits for one, in order' });

  for (;;) {
    const before = changes;
    capacity = returned.reduce(giveBack, capacity);
    returned = [];
    if (mayGrant(capacity)) {
      const busy = await lookAtIronic();
      const next = busy === undefined ? { capacity, granted: [] } : grant(capacity, busy.nodeIds);
      capacity = next.capacity;
      await answerAll(next.granted.map(granted));
    }
    // Requests that arrived during the list are decided with the next list.
    if (changes !== before && !isLong(HISTORY_LIMIT)) continue;
    // A run that ends sends no host its place in the queue: the next run lists the nodes first, and may grant a slot at
    // once.
    for (
      let told = places(capacity, TOLD_AT_ONCE);
      told.places.length > 0 && !isLong(HISTORY_LIMIT);
      told = places(capacity, TOLD_AT_ONCE)
    ) {
      capacity = told.capacity;
      await answerAll(
        told.places.map(({ applicant, ahead }) => ({
          applicant,
          answer: { kind: 'queued', ticket: applicant.ticket, ahead },
        })),
      );
      // Requests that arrived in the meantime come first.
      if (isLong(HISTORY_LIMIT) || changes !== before) break;
    }
    showDetails(joined([detailsOf(capacity), refusals.line], ''));
    if (isLong(HISTORY_LIMIT)) {
      await condition(allHandlersFinished);
      if (returned.length === 0) await continueAsNew<typeof capacityWorkflow>({ capacity, checkAt });
    }
    const isChanged = (): boolean => changes !== before || isLongWhileWaiting(HISTORY_LIMIT);
    if (capacity.queue.length === 0) {
      await condition(isChanged);
      checkAt = Date.now() + CHECK_AGAIN_MS;
    } else if (capacity.holders.length < capacity.limit) {
      await condition(isChanged, LOOK_AGAIN, { summary: 'Ironic is busy with other nodes: wait before the next list' });
    } else if (
      // Checked also when requests keep arriving, so that slots of lost runs become free.
      Date.now() >= checkAt ||
      !(await condition(isChanged, checkAt - Date.now(), {
        summary: 'No slot became free: check whether the holders still need theirs',
      }))
    ) {
      await answerAll(capacity.holders.map(granted));
      checkAt = Date.now() + CHECK_AGAIN_MS;
    }
  }

  /** undefined: the run must end because of many requests, and Ironic has not answered yet. */
  async function lookAtIronic(): Promise<{ readonly nodeIds: readonly string[] } | undefined> {
    const scope = new CancellationScope();
    const looking = scope.run(() => ironic('List the nodes that Ironic is working on').busyNodes());
    return (await interruptedByLength(scope, looking)) ? undefined : looking;
  }

  /**
   * Signals hosts; the slot of a host whose workflow does not run is free again. A host that gets two answers returns
   * what it does not need.
   */
  async function answerAll(answers: readonly Answered[]): Promise<void> {
    for (let at = 0; at < answers.length; at += TOLD_AT_ONCE) {
      await Promise.all(answers.slice(at, at + TOLD_AT_ONCE).map(tell));
    }
  }

  async function tell({ applicant, answer }: Answered): Promise<void> {
    if (await isSignalled(applicant.holder, slotAnswered, answer)) return;
    returned = [...returned, applicant.ticket];
    changes += 1;
  }
}

interface Answered {
  readonly applicant: SlotApplicant;
  readonly answer: SlotAnswer;
}

const granted = (applicant: SlotApplicant): Answered => ({
  applicant,
  answer: { kind: 'granted', ticket: applicant.ticket },
});
