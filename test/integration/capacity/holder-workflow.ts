import { condition, defineQuery, setHandler } from '@temporalio/workflow';
import type { SlotAnswer } from '../../../domain/host/memory/slot-record.ts';
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
