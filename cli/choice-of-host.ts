import { z } from 'zod';
import { maybeText, orEmpty } from '../api/meta/lenient.ts';
import { metal3MachineSpec } from '../api/metal3machine/schema.ts';
import { obstacles } from '../domain/machine/choose-host/select-host.ts';
import { readHostFacts } from '../kube/objects/baremetalhost.ts';
import { readMetal3Machine } from '../kube/objects/metal3machine.ts';

const { hostSelector: selector } = metal3MachineSpec.shape;
const wish = z.object({
  spec: orEmpty(z.object({ failureDomain: maybeText, hostSelector: selector.catch(undefined) })),
});

/** The hosts of the machine's namespace, and why it does not get each of them; the message of an invalid selector. */
export function lookAtHosts(metal3Machine: unknown, hosts: readonly unknown[]): ReturnType<typeof obstacles> {
  const { namespace, name } = readMetal3Machine(metal3Machine).metadata;
  const { hostSelector, failureDomain } = wish.parse(metal3Machine).spec;
  return obstacles(hosts.map(readHostFacts), {
    machine: { namespace, name },
    ...(hostSelector !== undefined && { hostSelector }),
    ...(failureDomain !== undefined && { failureDomain }),
  });
}
