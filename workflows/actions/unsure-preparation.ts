import { patched } from '@temporalio/workflow';
import { preparationKnown } from '../../domain/host/desired/preparation.ts';
import type { HostMemory } from '../../domain/host/memory/memory.ts';
import { PATCHES } from '../patches.ts';

/** For the next step of a run that began before such preparations were done again. */
export function withUnsurePreparation(memory: HostMemory): HostMemory {
  const matters = memory.isPreparationUnsure && memory.status.provisioning.state === 'preparing';
  return matters && !patched(PATCHES.unsurePreparations) ? preparationKnown(memory) : memory;
}
