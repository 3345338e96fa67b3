import type { Client } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
import PQueue from 'p-queue';
import type { SlotRequest } from '../../domain/capacity/capacity.ts';
import { CAPACITY_WORKFLOW_ID, CAPACITY_WORKFLOW_TYPE, slotAsked } from '../../workflows/capacity/messages.ts';
import { LONG_TASK_TIMEOUT, TASK_QUEUE } from '../../workflows/messages.ts';
import type { ActivityCall } from '../ironic/context.ts';

const DEADLINE_MS = 10_000;
/** Concurrent signals from one process; Temporal accepts the signals of a workflow one after the other. */
const AT_ONCE = 5;

export interface SlotActivities {
  /** Sends the request to the capacity workflow and starts it if needed. Idempotent by the request's ticket. */
  askForSlot(request: SlotRequest): Promise<void>;
}

/** How a workflow is asked. An activity sends the request, because a workflow cannot start another one by a signal. */
export interface Messages<Request> {
  ask(request: Request, signal: AbortSignal): Promise<unknown>;
}

export type SlotMessages = Messages<SlotRequest>;

interface SlotDeps {
  readonly messages: SlotMessages;
  readonly currentCall: () => Pick<ActivityCall, 'signal'>;
}

export const createSlotActivities = ({ messages, currentCall }: SlotDeps): SlotActivities => ({
  askForSlot: async (request) => void (await messages.ask(request, currentCall().signal)),
});

const SLOTS: Counter<SlotRequest> = {
  type: CAPACITY_WORKFLOW_TYPE,
  workflowId: CAPACITY_WORKFLOW_ID,
  signal: slotAsked,
  summary: 'Slots for hosts that Ironic works on',
};

/** A workflow that all hosts ask, because it counts them. */
export interface Counter<Request> {
  readonly type: string;
  readonly workflowId: string;
  readonly signal: SignalDefinition<[Request]>;
  readonly summary: string;
}

/** Sends messages to such a workflow, which the first request starts. */
export function createMessages<Request>(client: Client, counter: Counter<Request>): Messages<Request> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  return {
    ask: (request, signal) => queue.add(() => ask(client, counter, request), { signal }),
  };
}

const ask = <Request>(
  client: Client,
  { type, workflowId, signal, summary }: Counter<Request>,
  request: Request,
): Promise<unknown> =>
  client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.signalWithStart(type, {
      workflowId,
      taskQueue: TASK_QUEUE,
      workflowTaskTimeout: LONG_TASK_TIMEOUT,
      args: [{}],
      signal,
      signalArgs: [request],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: summary,
    }),
  );

export const createSlotMessages = (client: Client): SlotMessages => createMessages(client, SLOTS);
