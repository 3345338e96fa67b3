import type { MachineMemory } from '../../domain/machine/memory/memory.ts';
import { machineEntity } from '../../domain/machine/next-step.ts';
import { knownOfMachine } from '../../domain/machine/steering/refusal.ts';
import { perform } from '../actions/machine.ts';
import { listenForMachineSteering } from '../actions/machine-steering.ts';
import { type EntityStart, live } from '../life/live.ts';

const handleOwnMessages = listenForMachineSteering<MachineMemory>({
  kind: 'Metal3Machine',
  pause: 'Sets the annotation paused: nothing more is done for the machine until resume; its host is not paused',
  resume: 'Ends a pause',
  knownOf: knownOfMachine,
});

/**
 * One Metal3Machine, alive as long as it exists: chooses a host, has it deployed, links it to its Node, releases it.
 */
export const metal3MachineWorkflow = (start: EntityStart<MachineMemory>): Promise<void> =>
  live(
    {
      kind: 'Metal3Machine',
      entity: machineEntity,
      perform,
      handleOwnMessages,
    },
    start,
  );
