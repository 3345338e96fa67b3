import type { MachineMemory } from '../../domain/machine/memory.ts';
import { machineEntity } from '../../domain/machine/next-step.ts';
import { type EntityStart, live } from '../entity/live.ts';
import { perform } from './perform.ts';

/** One Metal3Machine, alive as long as it exists: finds a host, has it deployed, ties it to its Node, gives it back. */
export const metal3MachineWorkflow = (start: EntityStart<MachineMemory>): Promise<void> =>
  live({ kind: 'Metal3Machine', entity: machineEntity, perform }, start);
