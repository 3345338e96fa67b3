import { unwantedBecause } from './desired/still-wanted.ts';
import { type HostMemory, withEnded } from './memory/memory.ts';
import type { Task } from './memory/task.ts';
import { endedBy, isAbortAsked } from './steering/held-back.ts';

/** Why the running task is cancelled, in words; undefined: it goes on. */
export const whyCancelled = (memory: HostMemory, task: Task): string | undefined =>
  endedBy(memory, task) ?? unwantedBecause(memory, task);

/** The operations whose end is told when they were cancelled; other tasks take seconds, or remove the host. */
const TOLD: Partial<Record<Task['name'], readonly [reason: string, what: string]>> = {
  inspect: ['InspectionCancelled', 'Hardware inspection'],
  prepare: ['PreparationCancelled', 'Preparation'],
  provision: ['ProvisioningCancelled', 'Image provisioning'],
  deprovision: ['DeprovisioningCancelled', 'Image deprovisioning'],
};

/** Adds an Event that tells why an operation was cancelled. An abort has an Event already: that of its message. */
export function cancellationTold(memory: HostMemory, task: Task): HostMemory {
  const [reason, what] = TOLD[task.name] ?? [];
  if (reason === undefined || isAbortAsked(memory)) return memory;
  // The change that cancelled it was undone meanwhile.
  const why = whyCancelled(memory, task) ?? 'something else was wanted for a moment';
  return withEnded(memory, reason, `${what} ended: ${why}`, why);
}
