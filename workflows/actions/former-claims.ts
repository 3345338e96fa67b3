import { patched } from '@temporalio/workflow';
import { decidesAnew } from '../../domain/machine/associate/associate.ts';
import type { MachineMemory } from '../../domain/machine/memory/memory.ts';
import { PATCHES } from '../patches.ts';

/** For the next step of a run that began before hosts were claimed as they are now. */
export function withFormerClaims(memory: MachineMemory): MachineMemory {
  const { asBefore = false, ...rest } = memory;
  const isBefore = (asBefore || decidesAnew(memory)) && !patched(PATCHES.formerClaims);
  if (isBefore === asBefore) return memory;
  return isBefore ? { ...rest, asBefore: true } : rest;
}
