import type { Moment } from '../entity/entity.ts';
import type { HostFacts } from '../machine/choose-host/host-facts.ts';
import { type MachineApiMemory, machineOf } from './memory.ts';
import type { NodeWish } from './node-wish.ts';
import { linkIn, providerIdOf } from './provider-id.ts';
import type { NodeSeen } from './snapshot.ts';
import type { MachineApiStep, OwnNodeOrder } from './step.ts';
import { attempt } from './waits.ts';

/** The providerID of a Machine with an instance: an existing one is never changed. */
export const providerIdFor = ({ seen }: MachineApiMemory, host: HostFacts): string =>
  seen.providerID === '' ? providerIdOf(host) : seen.providerID;

/** Writes to the Node what it lacks. undefined: it lacks nothing. */
export function linkingNode(
  memory: MachineApiMemory,
  node: NodeSeen,
  host: HostFacts,
  moment: Moment,
): MachineApiStep | undefined {
  const { seen, nodeLinked } = memory;
  const providerID = providerIdFor(memory, host);
  const isAnnotated = node.machine === `${seen.namespace}/${seen.name}` || !seen.settings.isController;
  // Any providerID will do, because the API server refuses to change that of a Node.
  const isLinked = node.providerID !== '' && isAnnotated && !node.hasLegacyFinalizer && node.lacks !== true;
  if (isLinked || nodeLinked === node.uid) return undefined;
  const order = { ...nodeOrder(memory, node), providerID, fills: seen.settings.isController };
  return attempt(memory, { name: 'link node', order }, moment);
}

export const nodeOrder = ({ seen }: MachineApiMemory, { name, uid }: NodeSeen): OwnNodeOrder => ({
  node: { name, uid },
  machine: { ...machineOf(seen), uid: seen.uid },
});

/** What decides whether a Node is that of a Machine. */
export interface NodeFacts extends NodeSeen, NodeWish {
  readonly ips: readonly string[];
  readonly hostname: string;
}

/** True for a Node that has the providerID of the host, or its address or name and no other providerID. */
export function isNodeOf({ ips, hostname, providerID }: NodeFacts, host: HostFacts, known: string): boolean {
  if (providerID !== '') return providerID === idOf(host, known);
  return ips.some((ip) => host.ips.includes(ip)) || (hostname !== '' && hostname === host.hostname);
}

/** True for a Node that runs on another host. */
export const isNodeOfAnother = ({ providerID }: NodeFacts, host: HostFacts, known: string): boolean =>
  providerID !== idOf(host, known) && typeof linkIn(providerID) === 'object';

const idOf = (host: HostFacts, known: string): string => (known === '' ? providerIdOf(host) : known);
