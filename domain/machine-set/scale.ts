import { type HostFacts, isConsumer } from '../machine/choose-host/host-facts.ts';
import { hostSelector } from '../machine/choose-host/label-selector.ts';
import type { HostWish, InvalidWish } from '../machine-api/provider-spec.ts';
import { isInvalid } from '../machine-api/provider-spec.ts';
import type { MachineSetSnapshot } from './snapshot.ts';

interface Scaled {
  readonly hosts: readonly HostFacts[];
  readonly wish: HostWish | InvalidWish;
  /** True for a Machine of the MachineSet; undefined for a Machine that does not exist. */
  readonly isOurs: (machine: { readonly namespace: string; readonly name: string }) => boolean | undefined;
  readonly api: string;
}

/**
 * One Machine for each host of the namespace that has no consumer and that the template selects, and for each that a
 * Machine of the MachineSet has. A host whose Machine does not exist may belong to a Machine that is not seen yet.
 */
export function scaleToHosts({ hosts, wish, isOurs, api }: Scaled): NonNullable<MachineSetSnapshot['scale']> {
  if (isInvalid(wish)) return { suspended: wish.invalid };
  const selector = hostSelector(wish.hostSelector);
  if (selector.kind === 'invalid') return { suspended: `hostSelector: ${selector.message}` };
  let replicas = 0;
  for (const host of hosts) {
    const { consumer, namespace, labels, name } = host;
    if (consumer === undefined) {
      replicas += selector.matches(labels) ? 1 : 0;
      continue;
    }
    const machine = { namespace, name: consumer.name ?? '' };
    if (!isConsumer(consumer, { ...machine, api })) continue;
    const ours = isOurs(machine);
    if (ours === undefined)
      return { suspended: `host ${name} has a consumer that does not exist: Machine ${machine.name}` };
    replicas += ours ? 1 : 0;
  }
  return { replicas };
}
