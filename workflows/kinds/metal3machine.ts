import type { MachineMemory } from '../../domain/machine/memory/memory.ts';
import { machineEntity } from '../../domain/machine/next-step.ts';
import { withFormerClaims } from '../actions/former-claims.ts';
import { perform } from '../actions/machine.ts';
import { type EntityStart, live } from '../life/live.ts';

/**
 * One Metal3Machine, alive as long as it exists: chooses a host, has it deployed, links it to its Node, releases it.
 */
export const metal3MachineWorkflow = (start: EntityStart<MachineMemory>): Promise<void> =>
  live({ kind: 'Metal3Machine', entity, perform }, start);

const entity: typeof machineEntity = {
  ...machineEntity,
  nextStep(memory, at) {
    const known = withFormerClaims(memory);
    return known === memory ? machineEntity.nextStep(memory, at) : { kind: 'note', memory: known };
  },
  stillWanted: (memory, action) => machineEntity.stillWanted(withFormerClaims(memory), action),
};
