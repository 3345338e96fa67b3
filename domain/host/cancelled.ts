import { undesiredReason } from './desired/still-wanted.ts';
import { type HostMemory, withCancellationEvent } from './memory/memory.ts';
import type { Task } from './memory/task.ts';
import { abortReason, isAbortAsked } from './steering/held-back.ts';

/** Why the running task is cancelled, in words; undefined: it goes on. */
export const cancellationReason = (memory: HostMemory, task: Task): string | undefined =>
  abortReason(memory, task) ?? undesiredReason(memory, task);

/** The operations whose cancellation has an Event; other tasks take seconds, or remove the host. */
const EVENTS: Partial<Record<Task['name'], readonly [reason: string, what: string]>> = {
  inspect: ['InspectionCancelled', 'Hardware inspection'],
  prepare: ['PreparationCancelled', 'Preparation'],
  provision: ['ProvisioningCancelled', 'Image provisioning'],
  deprovision: ['DeprovisioningCancelled', 'Image deprovisioning'],
};

/** Adds an Event that tells why an operation was cancelled. An abort has an Event already: that of its message. */
export function withCancellation(memory: HostMemory, task: Task): HostMemory {
  const [reason, what] = EVENTS[task.name] ?? [];
  if (reason === undefined || isAbortAsked(memory)) return memory;
  // The change that cancelled it was undone meanwhile.
  const why = cancellationReason(memory, task) ?? 'something else was wanted for a moment';
  return withCancellationEvent(memory, reason, `${what} ended: ${why}`, why);
}
