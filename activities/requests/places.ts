import type { Client } from '@temporalio/client';
import type { PlaceRequest } from '../../domain/budgets/budgets.ts';
import { BUDGETS_WORKFLOW_ID, BUDGETS_WORKFLOW_TYPE, placeAsked } from '../../workflows/budgets/messages.ts';
import type { ActivityCall } from '../ironic/context.ts';
import { createMessages, type Messages } from './slots.ts';

export interface PlaceActivities {
  /** Sends the request to the workflow of budgets and starts it if needed. Idempotent by the request's ticket. */
  askForPlace(request: PlaceRequest): Promise<void>;
}

interface PlaceDeps {
  readonly messages: Messages<PlaceRequest>;
  readonly currentCall: () => Pick<ActivityCall, 'signal'>;
}

export const createPlaceActivities = ({ messages, currentCall }: PlaceDeps): PlaceActivities => ({
  askForPlace: async (request) => void (await messages.ask(request, currentCall().signal)),
});

export const createPlaceMessages = (client: Client): Messages<PlaceRequest> =>
  createMessages(client, {
    type: BUDGETS_WORKFLOW_TYPE,
    workflowId: BUDGETS_WORKFLOW_ID,
    signal: placeAsked,
    summary: 'Budgets: how many hosts at a time may erase, power off or change firmware',
  });
