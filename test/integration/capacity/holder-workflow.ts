import { condition, defineQuery, setHandler } from '@temporalio/workflow';
import type { SlotRequest } from '../../../domain/capacity/capacity.ts';
import type { SlotAnswer } from '../../../domain/host/memory/slot-record.ts';
import { askForSlot, returnSlots } from '../../../workflows/actions/slot-messages.ts';
import { slotAnswered } from '../../../workflows/messages.ts';

export { capacityWorkflow } from '../../../workflows/capacity/workflow.ts';

export const answers = defineQuery<readonly SlotAnswer[]>('answers');

/** Replaces a host's workflow and records the answers it gets. */
export async function holderWorkflow(): Promise<void> {
  const told: SlotAnswer[] = [];
  setHandler(slotAnswered, (answer) => void told.push(answer));
  setHandler(answers, () => told);
  await condition(() => false);
}

/** Asks for a slot as the workflow of a host does, waits for the answers up to the slot, and returns it. */
export async function applicantWorkflow(request: SlotRequest): Promise<void> {
  const told: SlotAnswer[] = [];
  setHandler(slotAnswered, (answer) => void told.push(answer));
  await askForSlot(request, 'Ask for a slot');
  await condition(() => told.some(({ kind }) => kind === 'granted'));
  await returnSlots([request.ticket]);
}
