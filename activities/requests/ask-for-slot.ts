import type { Client } from '@temporalio/client';
import PQueue from 'p-queue';
import type { SlotRequest } from '../../domain/capacity/capacity.ts';
import { CAPACITY_WORKFLOW_ID, CAPACITY_WORKFLOW_TYPE, slotAsked } from '../../workflows/capacity/messages.ts';
import { TASK_QUEUE } from '../../workflows/host/messages.ts';
import type { ActivityCall } from '../ironic/context.ts';

const DEADLINE_MS = 10_000;
/** From one process; the others wait for their turn: Temporal takes in one signal of a workflow after the other. */
const AT_ONCE = 5;

export interface SlotActivities {
  /** Hands the request to whoever gives out slots, starting them if need be. Idempotent by the request's ticket. */
  askForSlot(request: SlotRequest): Promise<void>;
}

interface SlotDeps {
  /** Reaches the workflow that hands out slots; an activity because a workflow can signal another one but not start it. */
  readonly ask: (request: SlotRequest, signal: AbortSignal) => Promise<unknown>;
  readonly currentCall: () => Pick<ActivityCall, 'signal'>;
}

export const createSlotActivities = ({ ask, currentCall }: SlotDeps): SlotActivities => ({
  askForSlot: async (request) => void (await ask(request, currentCall().signal)),
});

/** Hands requests to the one workflow that gives out slots, which is started by the first. */
export function createAskForSlot(client: Client): (request: SlotRequest, signal: AbortSignal) => Promise<unknown> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  return (request, signal) => queue.add(() => askForSlot(client, request), { signal });
}

const askForSlot = (client: Client, request: SlotRequest): Promise<unknown> =>
  client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.signalWithStart(CAPACITY_WORKFLOW_TYPE, {
      workflowId: CAPACITY_WORKFLOW_ID,
      taskQueue: TASK_QUEUE,
      args: [{}],
      signal: slotAsked,
      signalArgs: [request],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: 'Slots for hosts that Ironic is at work with',
    }),
  );
