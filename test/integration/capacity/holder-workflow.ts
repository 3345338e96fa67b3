import { condition, defineQuery, setHandler } from '@temporalio/workflow';
import type { PlaceAnswer } from '../../../domain/host/approval/place-answered.ts';
import type { PlaceRequest } from '../../../domain/lock/lock.ts';
import { askForPlace, returnPlaces } from '../../../workflows/actions/host.ts';
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

/** Asks for a slot as the workflow of a host does, waits for the answers up to the slot, and returns it. */
export async function applicantWorkflow(request: PlaceRequest): Promise<void> {
  const told: PlaceAnswer[] = [];
  setHandler(placeAnswered, (answer) => void told.push(answer));
  await askForPlace('slots', request, 'Ask for a slot');
  await condition(() => told.some(({ kind }) => kind === 'granted'));
  await returnPlaces('slots', [request.ticket]);
}
