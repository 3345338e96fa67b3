import { CLUSTER_ANNOTATIONS, isMovedAway } from '../../cluster-api/names.ts';
import type { SteeringMessage } from '../../steering/messages.ts';
import type { MachineMemory } from '../memory/memory.ts';
import { anyMachineRefusal, type KnownOfAnyMachine, knownOfItsHost, onward } from './any-machine.ts';

/** What only the run of a Metal3Machine knows, because its object does not show it. */
export interface KnownOfMachine extends KnownOfAnyMachine {
  /** The name of its Cluster, if that is paused. */
  readonly pausedCluster?: string;
}

/** The facts by which a message to a Metal3Machine is judged. */
export interface SteeredMachine extends KnownOfMachine {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string | undefined;
}

export const knownOfMachine = ({ seen, record, trouble, noHost }: MachineMemory): KnownOfMachine => ({
  hasFailed: trouble !== null || (noHost !== null && record.host === ''),
  ...(seen.cluster?.paused === true && { pausedCluster: seen.cluster.name }),
  ...knownOfItsHost(seen.host),
});

/** Why a machine takes no message here: clusterctl has moved it; undefined: it is here. */
export const whyMovedAway = (machine: Parameters<typeof isMovedAway>[0]): string | undefined =>
  isMovedAway(machine) ? 'clusterctl has moved it: steer it in its new cluster' : undefined;

/** Why the machine refuses a message now, and what to send instead; undefined: it accepts the message. */
export function machineRefusal(machine: SteeredMachine, { name }: SteeringMessage): string | undefined {
  const { pausedCluster } = machine;
  const isPaused = CLUSTER_ANNOTATIONS.paused in machine.annotations;
  const movedAway = whyMovedAway(machine);
  if (movedAway !== undefined) return movedAway;
  const pausedByCluster =
    pausedCluster === undefined
      ? undefined
      : `its Cluster ${pausedCluster} is paused: set spec.paused of the Cluster to false`;
  if (name === 'pause') return isPaused ? 'it is paused already: resume ends that' : undefined;
  if (name === 'resume') return isPaused ? undefined : (pausedByCluster ?? `it is not paused: ${onward(machine)}`);
  if (name === 'retry' && isPaused) return 'it is paused: resume it first';
  return (name === 'retry' ? pausedByCluster : undefined) ?? anyMachineRefusal(machine, name);
}
