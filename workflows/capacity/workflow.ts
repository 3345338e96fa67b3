import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setCurrentDetails,
  setHandler,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type Applicant,
  ask,
  type Capacity,
  giveBack,
  grant,
  mayGrant,
  NOBODY,
  places,
} from '../../domain/capacity/capacity.ts';
import { slotRequest } from '../../domain/capacity/message-shapes.ts';
import { detailsOf } from '../../domain/capacity/words.ts';
import type { SlotAnswer } from '../../domain/host/capacity/slot-record.ts';
import { filledText, list } from '../../domain/message/shape.ts';
import { slotAnswered } from '../kinds/messages.ts';
import { interruptedByLength } from '../life/history.ts';
import { checkedSignals } from '../life/listening.ts';
import { createRefusals } from '../life/refusals.ts';
import { ironic } from '../proxies.ts';
import { capacityView, slotAsked, slotsReturned } from './messages.ts';

/** Events after which a run is continued as new. */
const HISTORY_LIMIT = 1_000;
/** Hosts that are signalled at the same time; a thousand at once would delay Temporal. */
const TOLD_AT_ONCE = 20;
/** While hosts wait: pause before Ironic's nodes are listed again when it was busy with nodes without a slot. */
const LOOK_AGAIN = '15 seconds';
/** While hosts wait: interval at which the holders of slots are asked whether they still need them. */
const CHECK_AGAIN = '1 minute';

export interface CapacityStart {
  /** From the previous run. */
  readonly capacity?: Capacity;
}

/**
 * Grants slots in the order of the requests. A slot is granted only after a list of Ironic's nodes, in which busy nodes
 * without a slot count too: they show what was forgotten here. Ignores cancel requests; when terminated, the next
 * request starts it again.
 */
export const capacityWorkflow = (start: CapacityStart): Promise<void> =>
  CancellationScope.nonCancellable(() => serve(start));

async function serve({ capacity: carried = NOBODY }: CapacityStart): Promise<void> {
  let capacity = carried;
  /** Taken in before a list of nodes, never during one: a node seen idle must not have been started since. */
  let returned: readonly string[] = [];
  let changes = 0;

  const refusals = createRefusals(() => setCurrentDetails(`${detailsOf(capacity)}${refusals.line}`));
  const signal = checkedSignals(refusals);
  signal(slotAsked, {
    description: 'A host asks for a slot; sent by its workflow, through an activity',
    shape: slotRequest,
    hear(request) {
      capacity = ask(capacity, request);
      changes += 1;
    },
  });
  signal(slotsReturned, {
    description: 'A host gives its slot, or its place in the queue, back; sent by its workflow',
    shape: list(filledText),
    hear(tickets) {
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
    // Hosts that asked during the list are decided with the next list.
    if (changes !== before && !isLong()) continue;
    // A run that ends tells nobody to wait: the next one looks first, and may have a slot for them.
    for (
      let told = places(capacity, TOLD_AT_ONCE);
      told.places.length > 0 && !isLong();
      told = places(capacity, TOLD_AT_ONCE)
    ) {
      capacity = told.capacity;
      await answerAll(
        told.places.map(({ applicant, ahead }) => ({
          applicant,
          answer: { kind: 'queued', ticket: applicant.ticket, ahead },
        })),
      );
      // Requests that arrived meanwhile come first.
      if (isLong() || changes !== before) break;
    }
    setCurrentDetails(`${detailsOf(capacity)}${refusals.line}`);
    if (isLong()) {
      await condition(allHandlersFinished);
      if (returned.length === 0) await continueAsNew<typeof capacityWorkflow>({ capacity });
    }
    const isChanged = (): boolean => changes !== before;
    if (capacity.queue.length === 0) await condition(isChanged);
    else if (capacity.holders.length < capacity.limit) {
      await condition(isChanged, LOOK_AGAIN, { summary: 'Ironic is busy with other nodes: look again' });
    } else if (!(await condition(isChanged, CHECK_AGAIN, { summary: 'Nothing came free: ask those who hold slots' }))) {
      await answerAll(capacity.holders.map(granted));
    }
  }

  /** Undefined when so many asked meanwhile that this run is to end, before Ironic has answered. */
  async function lookAtIronic(): Promise<{ readonly nodeIds: readonly string[] } | undefined> {
    const scope = new CancellationScope();
    const looking = scope.run(() => ironic('See which nodes Ironic has in hand').busyNodes());
    return (await interruptedByLength(scope, looking)) ? undefined : looking;
  }

  /**
   * Signals hosts; the slot of a host that no longer runs is free again. A host that is answered twice returns what it
   * does not need.
   */
  async function answerAll(answers: readonly Answered[]): Promise<void> {
    for (let at = 0; at < answers.length; at += TOLD_AT_ONCE) {
      await Promise.all(answers.slice(at, at + TOLD_AT_ONCE).map(tell));
    }
  }

  async function tell({ applicant, answer }: Answered): Promise<void> {
    try {
      await getExternalWorkflowHandle(applicant.holder).signal(slotAnswered, answer);
    } catch (error) {
      if (!(error instanceof TemporalFailure)) throw error;
      returned = [...returned, applicant.ticket];
      changes += 1;
    }
  }
}

const isLong = (): boolean => workflowInfo().historyLength > HISTORY_LIMIT || workflowInfo().continueAsNewSuggested;

interface Answered {
  readonly applicant: Applicant;
  readonly answer: SlotAnswer;
}

const granted = (applicant: Applicant): Answered => ({
  applicant,
  answer: { kind: 'granted', ticket: applicant.ticket },
});
