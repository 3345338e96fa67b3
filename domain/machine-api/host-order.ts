import type { HostFacts } from '../machine/choose-host/host-facts.ts';
import type { HostOrder } from '../machine/memory/step.ts';
import { type MachineApiMemory, machineOf } from './memory.ts';

export const nameOf = ({ namespace, name, uid }: HostFacts): HostOrder['host'] => ({ namespace, name, uid });

export const orderOf = ({ seen }: MachineApiMemory, host: HostFacts): HostOrder => ({
  host: nameOf(host),
  machine: machineOf(seen),
});

export const stateOf = ({ state, errorMessage }: HostFacts): string =>
  `${state === '' ? 'new' : state}${errorMessage === '' ? '' : `: ${errorMessage}`}`;

/** Why a host that the Machine names is not its own. */
export function foreignHost({ name, consumer, deleting }: HostFacts): string {
  if (consumer === undefined) return deleting ? `host ${name} is being deleted` : `host ${name} has no consumer`;
  return `host ${name} is taken by ${consumer.kind ?? ''} ${consumer.namespace ?? ''}/${consumer.name ?? ''}`;
}
