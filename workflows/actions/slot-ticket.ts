import { uuid4 } from '@temporalio/workflow';
import type { Task } from '../../domain/host/memory/task.ts';

/**
 * Draws the ticket of a new request for a slot, or for places. Random numbers are the same in every replay; the time of
 * a task is not (https://github.com/temporalio/sdk-rust/issues/1146).
 */
export function withTicket(task: Task): Task {
  if (task.name !== 'ask for slot' && task.name !== 'ask for place') return task;
  const { host, ticket: known } = task.order;
  const ticket = known === '' ? `${host.uid}/${uuid4()}` : known;
  if (task.name === 'ask for place') return { ...task, order: { ...task.order, ticket } };
  return { ...task, order: { ...task.order, ticket } };
}
