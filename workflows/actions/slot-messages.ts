import type { SlotRequest } from '../../domain/capacity/capacity.ts';
import { CAPACITY_WORKFLOW_ID, slotAsked, slotsReturned } from '../capacity/messages.ts';
import { isSignalled } from '../life/signal-run.ts';
import { requests } from '../proxies.ts';

/** Sends a host's request to the capacity workflow. An activity starts that workflow where it does not run. */
export async function askForSlot(request: SlotRequest, summary: string): Promise<void> {
  if (await isSignalled(CAPACITY_WORKFLOW_ID, slotAsked, request)) return;
  await requests(summary).askForSlot(request);
}

/** Without a capacity workflow there is nothing to return slots to. */
export async function returnSlots(tickets: readonly string[]): Promise<void> {
  await isSignalled(CAPACITY_WORKFLOW_ID, slotsReturned, tickets);
}
