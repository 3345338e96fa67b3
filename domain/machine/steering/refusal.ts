import { CLUSTER_ANNOTATIONS, isMovedAway } from '../../cluster-api/names.ts';
import type { SteeringMessage, SteeringName } from '../../steering/messages.ts';
import type { MachineMemory } from '../memory/memory.ts';

/** What only the run of a machine knows, because its object does not show it. */
export interface KnownOfMachine {
  /** It waits after a failure, or has found no host. */
  readonly hasFailed: boolean;
  /** The name of its Cluster, if that is paused. */
  readonly pausedCluster?: string;
  /** The name of its host; '' without one. */
  readonly host: string;
  /** Its host waits after a failure, or is parked by an abort. */
  readonly hostAwaitsRetry: boolean;
}

/** The facts by which a message to a machine is judged. */
export interface SteeredMachine extends KnownOfMachine {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string | undefined;
}

export const knownOfMachine = ({ seen, record, trouble, noHost }: MachineMemory): KnownOfMachine => ({
  hasFailed: trouble !== null || (noHost !== null && record.host === ''),
  ...(seen.cluster?.paused === true && { pausedCluster: seen.cluster.name }),
  host: seen.host?.name ?? '',
  hostAwaitsRetry: seen.host !== undefined && (seen.host.errorMessage !== '' || seen.host.heldBack === 'parked'),
});

/** Messages that always go to the machine's host. */
export const FOR_HOST: readonly SteeringName[] = [
  'abort',
  'quarantine',
  'release',
  'reinspect',
  'power',
  'approve',
  'reject',
];

/**
 * True: the message is forwarded to the host's run, which accepts or refuses it. So is a retry if the machine itself
 * has not failed.
 */
export const isForHost = ({ name }: SteeringMessage, { hasFailed, hostAwaitsRetry }: KnownOfMachine): boolean =>
  FOR_HOST.includes(name) || (name === 'retry' && !hasFailed && hostAwaitsRetry);

/** Why the machine refuses a message now, and what to send instead; undefined: it accepts the message. */
export function machineRefusal(machine: SteeredMachine, { name }: SteeringMessage): string | undefined {
  const { host, pausedCluster } = machine;
  const isPaused = CLUSTER_ANNOTATIONS.paused in machine.annotations;
  if (isMovedAway(machine)) return 'clusterctl has moved it: steer it in its new cluster';
  const pausedByCluster =
    pausedCluster === undefined
      ? undefined
      : `its Cluster ${pausedCluster} is paused: set spec.paused of the Cluster to false`;
  switch (name) {
    case 'pause':
      return isPaused ? 'it is paused already: resume ends that' : undefined;
    case 'resume':
      return isPaused ? undefined : (pausedByCluster ?? `it is not paused: ${onward(machine)}`);
    case 'retry':
      if (isPaused) return 'it is paused: resume it first';
      if (pausedByCluster !== undefined) return pausedByCluster;
      return canRetry(machine) ? undefined : `nothing has failed: ${onward(machine)}`;
    case 'abort':
    case 'quarantine':
    case 'release':
    case 'reinspect':
    case 'power':
    case 'approve':
    case 'reject':
      return host === '' ? `it has no host yet, so ${name} cannot be forwarded: it waits for a host` : undefined;
    case 'forceDelete':
      return 'a machine is not deleted by force: delete its host by force, then the machine goes';
  }
}

const canRetry = ({ hasFailed, hostAwaitsRetry }: KnownOfMachine): boolean => hasFailed || hostAwaitsRetry;

/** What makes a machine go on that is not paused. */
const onward = (machine: KnownOfMachine): string =>
  canRetry(machine) ? 'retry tries again what has failed' : 'it goes on by itself when something changes';
