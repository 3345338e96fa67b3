import type { Client } from '@temporalio/client';
import type { SlotRequest } from '../domain/capacity/capacity.ts';
import { CAPACITY_WORKFLOW_ID, CAPACITY_WORKFLOW_TYPE, slotAsked } from '../workflows/capacity/messages.ts';
import { TASK_QUEUE } from '../workflows/host/messages.ts';

const DEADLINE_MS = 10_000;

/** Hands a request to the one workflow that gives out slots, which is started by the first. */
export const askForSlot = (client: Client, request: SlotRequest): Promise<unknown> =>
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
