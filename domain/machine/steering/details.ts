import { CLUSTER_ANNOTATIONS } from '../../cluster-api/names.ts';
import { steeringDetails, USER_AND_REASON } from '../../steering/details.ts';
import type { SteeringMessage } from '../../steering/messages.ts';
import type { MachineMemory } from '../memory/memory.ts';
import { FOR_HOST, knownOfMachine, machineRefusal } from './refusal.ts';

/** Messages in the order in which they are listed; the run of its host lists what the host takes. */
const OFFERED: readonly SteeringMessage[] = [
  { name: 'retry', ...USER_AND_REASON },
  { name: 'resume', ...USER_AND_REASON },
  { name: 'pause', ...USER_AND_REASON },
];

/** Lines for the details of a machine's run. */
export function machineSteeringDetails(memory: MachineMemory): readonly string[] {
  const { namespace, name, deletionTimestamp, paused } = memory.seen;
  const known = knownOfMachine(memory);
  const machine = { name, deletionTimestamp, annotations: paused ? PAUSED : {}, ...known };
  const possible = OFFERED.filter((message) => machineRefusal(machine, message) === undefined);
  return [
    ...steeringDetails(`metal3machine/${namespace}/${name}`, memory, possible),
    ...(known.host === '' ? [] : [`\nSent on to host ${known.host}: ${FOR_HOST.join(', ')}`]),
  ];
}

const PAUSED = { [CLUSTER_ANNOTATIONS.paused]: '' };
