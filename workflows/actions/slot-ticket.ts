import { uuid4 } from '@temporalio/workflow';
import type { Task } from '../../domain/host/memory/task.ts';

/**
 * Draws the ticket of a new request for a slot, or for places. Random numbers are the same in every replay; the time of a task is not
 * (https://github.com/temporalio/sdk-rust/issues/1146).
 */
export function withTicket(task: Task): Task {
  if (task.name !== 'ask for slot' && task.name !== 'ask for place') return task;
  if (task.order.ticket !== '') return task;
  const ticket = `${task.order.host.uid}/${uuid4()}`;
  return task.name === 'ask for slot'
    ? { ...task, order: { ...task.order, ticket } }
    : { ...task, order: { ...task.order, ticket } };
}
