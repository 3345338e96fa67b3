import { saysOccupied } from '../../../domain/ironic/occupied.ts';
import type { HostNow, MachineNow, ObjectsNow } from './objects.ts';
import type { Problem } from './problem.ts';

const PAUSED = 'baremetalhost.metal3.io/paused';
const DETACHED = 'baremetalhost.metal3.io/detached';
const HOST_OF_MACHINE = 'metal3.io/BareMetalHost';

export const isPaused = ({ metadata }: HostNow): boolean => PAUSED in metadata.annotations;
export const isDetached = ({ metadata }: HostNow): boolean => DETACHED in metadata.annotations;

/** The hosts and machines that are not as their objects say. */
export function unlikeSpec({ hosts, machines }: ObjectsNow): readonly Problem[] {
  return [
    ...hosts.flatMap((host) => named(host, hostProblem(host) ?? consumerProblem(host, machines))),
    ...machines.flatMap((machine) => named(machine, machineProblem(machine, hosts))),
  ];
}

const named = ({ metadata }: HostNow | MachineNow, what: string | undefined): readonly Problem[] =>
  what === undefined ? [] : [{ of: metadata.name, what }];

function hostProblem(host: HostNow): string | undefined {
  const { metadata, spec, status } = host;
  if (metadata.deletionTimestamp !== undefined) return `is still being deleted, in ${status.provisioning.state}`;
  if (isPaused(host)) return undefined;
  if (isDetached(host)) {
    return status.operationalStatus === 'detached' ? undefined : `is to be detached, and ${status.operationalStatus}`;
  }
  // A person decides what becomes of what runs there; whether it may run there is said of its server.
  if (saysOccupied(status.errorMessage)) return undefined;
  if (status.errorType !== '') return `shows ${status.errorType}: ${status.errorMessage}`;
  const { state, image } = status.provisioning;
  const wanted = wantedState(host);
  if (state !== wanted) return `is ${state} instead of ${wanted}`;
  if (!spec.externallyProvisioned && (image?.url ?? '') !== wantedImage(host)) {
    return `has the image '${image?.url}' instead of '${wantedImage(host)}'`;
  }
  return status.poweredOn === spec.online ? undefined : `is powered ${status.poweredOn ? 'on' : 'off'}`;
}

function wantedState(host: HostNow): string {
  if (host.spec.externallyProvisioned) return 'externally provisioned';
  return wantedImage(host) === '' ? 'available' : 'provisioned';
}

/** URL of the image that should be on the server, '' for none: a host that is off is not deployed, as upstream. */
export function wantedImage({ spec, status }: HostNow): string {
  const isWaiting = !spec.online && status.provisioning.state === 'available';
  return isWaiting ? '' : (spec.image?.url ?? '');
}

const hostOf = ({ metadata }: MachineNow): string | undefined =>
  metadata.annotations[HOST_OF_MACHINE]?.split('/').at(-1);

function consumerProblem({ metadata, spec }: HostNow, machines: readonly MachineNow[]): string | undefined {
  const consumer = spec.consumerRef?.name;
  if (consumer === undefined) return undefined;
  const machine = machines.find((one) => one.metadata.name === consumer);
  if (machine === undefined) return `belongs to ${consumer}, which is gone`;
  if (hostOf(machine) !== metadata.name) return `belongs to ${consumer}, which has ${hostOf(machine) ?? 'no host'}`;
  return spec.image?.url === machine.spec.image?.url ? undefined : `has another image than ${consumer}`;
}

function machineProblem(machine: MachineNow, hosts: readonly HostNow[]): string | undefined {
  if (machine.metadata.deletionTimestamp !== undefined) return 'is still being deleted';
  const name = hostOf(machine);
  if (name === undefined) {
    const free = hosts.find((host) => isFree(host));
    return free === undefined ? undefined : `has no host, and ${free.metadata.name} is free`;
  }
  const host = hosts.find(({ metadata }) => metadata.name === name);
  const consumer = host?.spec.consumerRef?.name;
  return consumer === machine.metadata.name ? undefined : `has ${name}, which belongs to ${consumer ?? 'nobody'}`;
}

const isFree = (host: HostNow): boolean =>
  (host.metadata['labels'] as Record<string, string> | undefined)?.['for-machines'] !== undefined &&
  host.spec.consumerRef === undefined &&
  host.status.provisioning.state === 'available';
