import { patched, uuid4 } from '@temporalio/workflow';
import type { Task } from '../../domain/host/memory/task.ts';
import { PATCHES } from '../patches.ts';

/**
 * Draws the ticket of a new request for a slot. Random numbers are the same in every replay; the time of a task is not
 * (https://github.com/temporalio/sdk-rust/issues/1146).
 */
export function withTicket(task: Task): Task {
  if (task.name !== 'ask for slot' || task.order.ticket !== '') return task;
  const { host, askedAt } = task.order;
  const drawn = patched(PATCHES.drawnTickets) ? uuid4() : `${askedAt}`;
  return { ...task, order: { ...task.order, ticket: `${host.uid}/${drawn}` } };
}
