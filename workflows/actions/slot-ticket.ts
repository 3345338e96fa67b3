import { patched, uuid4 } from '@temporalio/workflow';
import { QUIET_MS } from '../../domain/host/capacity/slot-guard.ts';
import type { Task } from '../../domain/host/memory/task.ts';
import { PATCHES } from '../patches.ts';

/**
 * Draws the ticket of a new request for a slot, or for places, and says how a slot is requested. Random numbers are the
 * same in every replay; the time of a task is not (https://github.com/temporalio/sdk-rust/issues/1146).
 */
export function withTicket(task: Task): Task {
  if (task.name !== 'ask for slot' && task.name !== 'ask for place') return task;
  const { host, ticket: known } = task.order;
  const ticket = known === '' ? `${host.uid}/${uuid4()}` : known;
  if (task.name === 'ask for place') return { ...task, order: { ...task.order, ticket } };
  return { ...task, order: { ...task.order, ticket, ...(patched(PATCHES.slotsBySignal) && { quietMs: QUIET_MS }) } };
}
