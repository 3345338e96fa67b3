import type { SlotRequest } from '../../domain/capacity/capacity.ts';
import { CAPACITY_WORKFLOW_ID, slotsReturned } from '../capacity/messages.ts';
import { isSignalled } from '../life/signal-run.ts';
import { slots } from '../proxies.ts';

/** Sends a host's request to the capacity workflow, which the first request starts. */
export async function askForSlot(request: SlotRequest, summary: string): Promise<void> {
  await slots(summary).askForSlot(request);
}

/** Without a capacity workflow there is nothing to return slots to. */
export async function returnSlots(tickets: readonly string[]): Promise<void> {
  await isSignalled(CAPACITY_WORKFLOW_ID, slotsReturned, tickets);
}
