import { CLUSTER_ANNOTATIONS } from '../../cluster-api/names.ts';
import type { Markdown } from '../../entity/markdown.ts';
import type { MachineMemory } from '../memory/memory.ts';
import { anyMachineDetails } from './any-machine.ts';
import { knownOfMachine, machineRefusal } from './refusal.ts';

/** Lines for the details of a Metal3Machine's run. */
export function machineSteeringDetails(memory: MachineMemory): readonly Markdown[] {
  const { namespace, name, deletionTimestamp, paused } = memory.seen;
  const known = knownOfMachine(memory);
  const machine = { name, deletionTimestamp, annotations: paused ? PAUSED : {}, ...known };
  return anyMachineDetails(memory, {
    workflowId: `metal3machine/${namespace}/${name}`,
    host: known.host,
    refusal: (message) => machineRefusal(machine, message),
  });
}

const PAUSED = { [CLUSTER_ANNOTATIONS.paused]: '' };
