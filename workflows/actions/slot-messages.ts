import { getExternalWorkflowHandle, patched, TemporalFailure } from '@temporalio/workflow';
import type { SlotRequest } from '../../domain/capacity/capacity.ts';
import { CAPACITY_WORKFLOW_ID, slotsReturned } from '../capacity/messages.ts';
import { PATCHES } from '../patches.ts';
import { slots, slotsInTask } from '../proxies.ts';

/**
 * Sends a host's requests to the capacity workflow. A message is first sent within the workflow task, which costs one
 * event instead of six; when that fails it is sent in the way that is tried again without further events.
 */
export async function askForSlot(request: SlotRequest, summary: string): Promise<void> {
  if (await isSentInTask(() => slotsInTask(summary).askForSlot(request))) return;
  await slots(summary).askForSlot(request);
}

/** Without a capacity workflow there is nothing to return slots to. */
export async function returnSlots(tickets: readonly string[], summary: string): Promise<void> {
  if (await isSentInTask(() => slotsInTask(summary).returnSlots(tickets))) return;
  try {
    await getExternalWorkflowHandle(CAPACITY_WORKFLOW_ID).signal(slotsReturned, tickets);
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
  }
}

async function isSentInTask(send: () => Promise<void>): Promise<boolean> {
  if (!patched(PATCHES.slotMessagesInTask)) return false;
  try {
    await send();
    return true;
  } catch (error) {
    if (error instanceof TemporalFailure) return false;
    throw error;
  }
}
