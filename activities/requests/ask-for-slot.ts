import type { Client } from '@temporalio/client';
import PQueue from 'p-queue';
import type { SlotRequest } from '../../domain/capacity/capacity.ts';
import { CAPACITY_WORKFLOW_ID, CAPACITY_WORKFLOW_TYPE, slotAsked } from '../../workflows/capacity/messages.ts';
import { TASK_QUEUE, WORKFLOW_TASK_TIMEOUT } from '../../workflows/messages.ts';
import type { ActivityCall } from '../ironic/context.ts';

const DEADLINE_MS = 10_000;
/** Concurrent signals from one process; Temporal accepts the signals of a workflow one after the other. */
const AT_ONCE = 5;

export interface SlotActivities {
  /** Sends the request to the capacity workflow and starts it if needed. Idempotent by the request's ticket. */
  askForSlot(request: SlotRequest): Promise<void>;
}

interface SlotDeps {
  /** An activity, because a workflow can signal another workflow but not start it. */
  readonly ask: (request: SlotRequest, signal: AbortSignal) => Promise<unknown>;
  readonly currentCall: () => Pick<ActivityCall, 'signal'>;
}

export const createSlotActivities = ({ ask, currentCall }: SlotDeps): SlotActivities => ({
  askForSlot: async (request) => void (await ask(request, currentCall().signal)),
});

/** Sends requests to the capacity workflow, which the first request starts. */
export function createAskForSlot(client: Client): (request: SlotRequest, signal: AbortSignal) => Promise<unknown> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  return (request, signal) => queue.add(() => askForSlot(client, request), { signal });
}

const askForSlot = (client: Client, request: SlotRequest): Promise<unknown> =>
  client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.signalWithStart(CAPACITY_WORKFLOW_TYPE, {
      workflowId: CAPACITY_WORKFLOW_ID,
      taskQueue: TASK_QUEUE,
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      args: [{}],
      signal: slotAsked,
      signalArgs: [request],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: 'Slots for hosts that Ironic works on',
    }),
  );
