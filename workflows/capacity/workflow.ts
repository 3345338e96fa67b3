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
import { detailsOf } from '../../domain/capacity/words.ts';
import type { SlotAnswer } from '../../domain/host/capacity/slot-record.ts';
import { slotAnswered } from '../host/messages.ts';
import { ironic } from '../proxies.ts';
import { capacityView, slotAsked, slotsReturned } from './messages.ts';

/** Events after which a run is continued as new. */
const HISTORY_LIMIT = 1_000;
/** Hosts that are told at the same time: each is a signal on its way, and a thousand at once would hold up Temporal. */
const TOLD_AT_ONCE = 20;
/** While somebody waits: how soon Ironic is looked at again when it was busy with what nobody holds a slot for, */
const LOOK_AGAIN = '15 seconds';
/** and how soon those who hold all the slots are asked whether they still do. */
const CHECK_AGAIN = '1 minute';

export interface CapacityStart {
  /** From the run before. */
  readonly capacity?: Capacity;
}

/**
 * Hands out the places that Ironic has for hosts at work, in the order of asking. A slot is given only after a look at
 * Ironic, where nodes at work that nobody holds a slot for count too: what is forgotten here is still seen there. A
 * request to cancel it changes nothing, and once terminated it is started anew by the next host that asks.
 */
export const capacityWorkflow = (start: CapacityStart): Promise<void> =>
  CancellationScope.nonCancellable(() => serve(start));

async function serve({ capacity: carried = NOBODY }: CapacityStart): Promise<void> {
  let capacity = carried;
  /** Taken in before a look at Ironic, never during one: a node seen at rest must not have been set to work since. */
  let returned: readonly string[] = [];
  let changes = 0;

  setHandler(
    slotAsked,
    (request) => {
      capacity = ask(capacity, request);
      changes += 1;
    },
    { description: 'A host asks for a slot; sent by its workflow, through an activity' },
  );
  setHandler(
    slotsReturned,
    (tickets) => {
      returned = [...returned, ...tickets];
      changes += 1;
    },
    { description: 'A host gives its slot, or its place in the queue, back; sent by its workflow' },
  );
  setHandler(capacityView, () => capacity, { description: 'Who has a slot and who waits for one, in order' });

  for (;;) {
    const before = changes;
    capacity = returned.reduce(giveBack, capacity);
    returned = [];
    if (mayGrant(capacity)) {
      const { nodeIds } = await ironic('See which nodes Ironic has in hand').busyNodes();
      const next = grant(capacity, nodeIds);
      capacity = next.capacity;
      await answerAll(next.granted.map(granted));
    }
    // Who asked during the look is not kept waiting yet: that takes another look.
    if (changes !== before && !isLong()) continue;
    for (let told = places(capacity, TOLD_AT_ONCE); told.places.length > 0; told = places(capacity, TOLD_AT_ONCE)) {
      capacity = told.capacity;
      await answerAll(
        told.places.map(({ applicant, ahead }) => ({
          applicant,
          answer: { kind: 'queued', ticket: applicant.ticket, ahead },
        })),
      );
      // Who asked meanwhile is looked up first.
      if (isLong() || changes !== before) break;
    }
    setCurrentDetails(detailsOf(capacity));
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

  /** Tells hosts; what was meant for one that no longer runs is free again. A host told twice gives back what it does not want. */
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
