import { CLUSTER_ANNOTATIONS } from '../../cluster-api/names.ts';
import type { Markdown } from '../../entity/markdown.ts';
import { inWords, type SteeringMessage } from '../../steering/messages.ts';
import { ended, type Steerable, type SteeringChange } from '../../steering/steerable.ts';
import type { MachineMemory } from '../memory/memory.ts';
import { anyMachineChange, anyMachineDetails, RETRY_FOLLOWED } from './any-machine.ts';
import { knownOfMachine, machineRefusal, type SteeredMachine } from './refusal.ts';

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

/** The annotation asks for a retry that was not begun yet. That of a paused machine waits until it is resumed. */
export const isRetryAsked = ({ seen, retried }: MachineMemory): boolean =>
  seen.retry !== undefined && seen.retry !== retried && !seen.paused && seen.cluster?.paused !== true;

/** Ends a backoff and the wait for a host, and searches for the Node again. The annotation is then handled. */
export const retryNow = (memory: MachineMemory): MachineMemory => ({
  ...memory,
  trouble: null,
  noHost: null,
  node: null,
  ...(memory.seen.retry !== undefined && { retried: memory.seen.retry }),
});

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
