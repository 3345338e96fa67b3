import { uuid4 } from '@temporalio/workflow';
import type { Task } from '../../domain/host/memory/task.ts';
import { ticketOf } from '../../domain/lock/marks.ts';

/**
 * Draws the ticket of a new request for places. Random numbers are the same in every replay; the time of a task is not
 * (https://github.com/temporalio/sdk-rust/issues/1146).
 */
export function withTicket(task: Task): Task {
  if (task.name !== 'ask for place' || task.order.ticket !== '') return task;
  return { ...task, order: { ...task.order, ticket: ticketOf(task.order.host.uid, uuid4()) } };
}
