import { type HostFacts, isConsumer } from '../../../domain/machine/choose-host/host-facts.ts';
import { isNodeOf } from '../../../domain/machine-api/node-link.ts';
import { providerIdOf } from '../../../domain/machine-api/provider-id.ts';
import type { OwnNodeOrder } from '../../../domain/machine-api/step.ts';
import type { Kube } from '../../../kube/client.ts';
import { readHostFacts } from '../../../kube/objects/baremetalhost.ts';
import type { MachineApiRead } from '../../../kube/objects/machine-api.ts';
import { readNodeFacts, readOwnNode } from '../../../kube/objects/node.ts';
import { hostPath } from '../../../kube/paths.ts';
import { stale } from '../machine/machine-now.ts';

type Order = Pick<OwnNodeOrder, 'node' | 'machine'>;

/**
 * Fails with type `Stale` unless the Node is that of the Machine: its status names it, it has the providerID of the
 * Machine, or it is that of the host that the Machine names and nobody else has. The Node may be gone.
 */
export async function mustBeItsNode(
  kube: Kube,
  { node, machine }: Order,
  read: MachineApiRead,
  found: unknown,
): Promise<void> {
  const { nodeRef, providerID } = read;
  if (nodeRef === node.name || found === undefined) return;
  if (providerID !== '' && readOwnNode(found).spec.providerID === providerID) return;
  const host = await namedHost(kube, machine, read);
  const isOfAnother = host?.consumer !== undefined && !isConsumer(host.consumer, machine);
  if (host === undefined || isOfAnother || !isNodeOf(readNodeFacts(found), host, providerID))
    throw stale(`Node ${node.name} is not that of Machine ${machine.name}`);
}

/**
 * Like `mustBeItsNode`, for a Node that may have no providerID yet: then it must be that of the host of the Machine. The
 * providerID that it is to get must be that of the Machine.
 */
export async function mustFitItsHost(
  kube: Kube,
  { node, machine, providerID }: Order & { readonly providerID: string },
  read: MachineApiRead,
  found: unknown,
): Promise<void> {
  if (read.nodeRef === node.name && read.providerID === providerID) return;
  const host = await hostOf(kube, machine, read);
  const known = read.providerID || (host && providerIdOf(host));
  const isItsNode = read.nodeRef === node.name || (host && isNodeOf(readNodeFacts(found), host, read.providerID));
  if (known !== providerID || isItsNode !== true)
    throw stale(`Node ${node.name} is not that of the host of Machine ${machine.name}`);
}

/** The host that the Machine names, and whose consumer it is. */
async function hostOf(
  kube: Kube,
  machine: OwnNodeOrder['machine'],
  read: MachineApiRead,
): Promise<HostFacts | undefined> {
  const host = await namedHost(kube, machine, read);
  return isConsumer(host?.consumer, machine) ? host : undefined;
}

async function namedHost(
  kube: Kube,
  machine: OwnNodeOrder['machine'],
  { link }: MachineApiRead,
): Promise<HostFacts | undefined> {
  if (typeof link !== 'object' || link.namespace !== machine.namespace) return undefined;
  const found = await kube.find(hostPath(link));
  return found === undefined ? undefined : readHostFacts(found);
}
