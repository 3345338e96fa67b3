import type { PlaceRequest } from '../../domain/budgets/budgets.ts';
import { BUDGETS_WORKFLOW_ID, placesReturned } from '../budgets/messages.ts';
import { isSignalled } from '../life/signal-run.ts';
import { requests } from '../proxies.ts';

/** Sends a host's request to the workflow of budgets, which the first request starts. */
export async function askForPlace(request: PlaceRequest, summary: string): Promise<void> {
  await requests(summary).askForPlace(request);
}

/** Without a workflow of budgets there is nothing to return places to. */
export async function returnPlaces(tickets: readonly string[]): Promise<void> {
  await isSignalled(BUDGETS_WORKFLOW_ID, placesReturned, tickets);
}
