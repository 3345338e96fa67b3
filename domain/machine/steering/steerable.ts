import { STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { CLUSTER_ANNOTATIONS } from '../../cluster-api/names.ts';
import { annotationValue } from '../../steering/annotations.ts';
import { inWords, type SteeringMessage } from '../../steering/messages.ts';
import { ended, type Steerable, type SteeringChange } from '../../steering/steerable.ts';
import { isForHost, machineRefusal, type SteeredMachine } from './refusal.ts';

/** Messages of people to Metal3Machines. */
export const steerableMachine: Steerable<SteeredMachine> = {
  refusal: machineRefusal,
  change: changeOf,
  followed: [
    { key: STEERING_ANNOTATIONS.retry, what: 'retry' },
    { key: CLUSTER_ANNOTATIONS.paused, what: 'pause', end: 'resume', ofMessages: true },
  ],
};

/** A message to the host changes the host, and not the machine. */
function changeOf(machine: SteeredMachine, message: SteeringMessage): SteeringChange {
  if (isForHost(message, machine)) return { annotations: {} };
  switch (message.name) {
    case 'pause':
      return { annotations: { [CLUSTER_ANNOTATIONS.paused]: `paused ${inWords(message)}` } };
    case 'resume':
      return { annotations: ended(machine.annotations, CLUSTER_ANNOTATIONS.paused) };
    case 'retry':
      return { annotations: { [STEERING_ANNOTATIONS.retry]: annotationValue(message) } };
    case 'abort':
    case 'quarantine':
    case 'release':
    case 'reinspect':
    case 'power':
    case 'approve':
    case 'reject':
    case 'forceDelete':
      return { annotations: {} };
  }
}
