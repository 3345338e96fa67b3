import { CLUSTER_ANNOTATIONS } from '../../cluster-api/names.ts';
import { inWords, type SteeringMessage } from '../../steering/messages.ts';
import { ended, type Steerable, type SteeringChange } from '../../steering/steerable.ts';
import { anyMachineChange, RETRY_FOLLOWED } from './any-machine.ts';
import { machineRefusal, type SteeredMachine } from './refusal.ts';

/** Messages of people to Metal3Machines. */
export const steerableMachine: Steerable<SteeredMachine> = {
  refusal: machineRefusal,
  change: changeOf,
  followed: [RETRY_FOLLOWED, { key: CLUSTER_ANNOTATIONS.paused, what: 'pause', end: 'resume', ofMessages: true }],
};

function changeOf(machine: SteeredMachine, message: SteeringMessage): SteeringChange {
  if (message.name === 'pause') return { annotations: { [CLUSTER_ANNOTATIONS.paused]: `paused ${inWords(message)}` } };
  if (message.name === 'resume') return { annotations: ended(machine.annotations, CLUSTER_ANNOTATIONS.paused) };
  return anyMachineChange(machine, message);
}
