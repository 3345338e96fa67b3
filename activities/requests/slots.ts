import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import PQueue from 'p-queue';
import type { SlotRequest } from '../../domain/capacity/capacity.ts';
import {
  CAPACITY_WORKFLOW_ID,
  CAPACITY_WORKFLOW_TYPE,
  slotAsked,
  slotsReturned,
} from '../../workflows/capacity/messages.ts';
import { LONG_TASK_TIMEOUT, TASK_QUEUE } from '../../workflows/messages.ts';
import type { ActivityCall } from '../ironic/context.ts';

const DEADLINE_MS = 10_000;
/** Concurrent signals from one process; Temporal accepts the signals of a workflow one after the other. */
const AT_ONCE = 5;

export interface SlotActivities {
  /** Sends the request to the capacity workflow and starts it if needed. Idempotent by the request's ticket. */
  askForSlot(request: SlotRequest): Promise<void>;
  /** Tells the capacity workflow, if it runs, that the slots of these tickets are free. Idempotent. */
  returnSlots(tickets: readonly string[]): Promise<void>;
}

/** How the capacity workflow is signalled; an activity does it because a workflow can't start another one by a signal. */
export interface SlotMessages {
  ask(request: SlotRequest, signal: AbortSignal): Promise<unknown>;
  giveBack(tickets: readonly string[], signal: AbortSignal): Promise<unknown>;
}

interface SlotDeps {
  readonly messages: SlotMessages;
  readonly currentCall: () => Pick<ActivityCall, 'signal'>;
}

export const createSlotActivities = ({ messages, currentCall }: SlotDeps): SlotActivities => ({
  askForSlot: async (request) => void (await messages.ask(request, currentCall().signal)),
  returnSlots: async (tickets) => void (await messages.giveBack(tickets, currentCall().signal)),
});

/** Sends messages to the capacity workflow, which the first request starts. */
export function createSlotMessages(client: Client): SlotMessages {
  const queue = new PQueue({ concurrency: AT_ONCE });
  return {
    ask: (request, signal) => queue.add(() => ask(client, request), { signal }),
    giveBack: (tickets, signal) => queue.add(() => giveBack(client, tickets), { signal }),
  };
}

const ask = (client: Client, request: SlotRequest): Promise<unknown> =>
  client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.signalWithStart(CAPACITY_WORKFLOW_TYPE, {
      workflowId: CAPACITY_WORKFLOW_ID,
      taskQueue: TASK_QUEUE,
      workflowTaskTimeout: LONG_TASK_TIMEOUT,
      args: [{}],
      signal: slotAsked,
      signalArgs: [request],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: 'Slots for hosts that Ironic works on',
    }),
  );

/** Without a capacity workflow there is nothing to return the slots to. */
async function giveBack(client: Client, tickets: readonly string[]): Promise<void> {
  try {
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflow.getHandle(CAPACITY_WORKFLOW_ID).signal(slotsReturned, tickets),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
