import { condition, defineQuery, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import type { PlaceAnswer } from '../../../domain/host/approval/place-answered.ts';
import { LOCKS } from '../../../domain/lock/policy.ts';
import { placesReturned } from '../../../workflows/lock/messages.ts';
import { placeAnswered } from '../../../workflows/messages.ts';

export { lockWorkflow } from '../../../workflows/lock/workflow.ts';

export const answers = defineQuery<readonly PlaceAnswer[]>('answers');

/** Replaces a host's workflow and records the answers it gets. */
export async function holderWorkflow(): Promise<void> {
  const told: PlaceAnswer[] = [];
  setHandler(placeAnswered, (answer) => void told.push(answer));
  setHandler(answers, () => told);
  await condition(() => false);
}

/** Returns its place as soon as it has it, and ends. */
export async function hastyHolderWorkflow(): Promise<void> {
  let ticket = '';
  setHandler(placeAnswered, (answer) => {
    if (answer.kind === 'granted') ({ ticket } = answer);
  });
  await condition(() => ticket !== '');
  await getExternalWorkflowHandle(LOCKS.budgets.workflowId).signal(placesReturned, [ticket]);
  await condition(() => false);
}
