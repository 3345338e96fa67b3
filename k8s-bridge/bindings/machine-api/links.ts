import type { HostFacts } from '../../../domain/machine/choose-host/host-facts.ts';
import { isNodeOf, isNodeOfAnother, type NodeFacts } from '../../../domain/machine-api/node-link.ts';
import { providerIdOf } from '../../../domain/machine-api/provider-id.ts';
import { perKind } from '../../../kube/by-name.ts';
import { type FollowedKind, KINDS } from '../../../kube/kinds.ts';
import { readHostFacts } from '../../../kube/objects/baremetalhost.ts';
import { readMachineApi } from '../../../kube/objects/machine-api.ts';
import { readNodeFacts } from '../../../kube/objects/node.ts';
import { keyOf } from '../../../kube/reflector.ts';
import type { Entry, Index, Stores } from '../../../kube/store.ts';

/** How Machines of the Machine API, hosts and Nodes are found from each other. */

/** `<namespace>/<name>` of the host that a Machine names; undefined: none. */
export function hostNamedIn(machine: unknown): string | undefined {
  const { link } = readMachineApi(machine);
  return link === undefined || typeof link === 'string' ? undefined : keyOf(link);
}

/** Machines by the host that they name. */
export const machinesByHostIn = perKind(function* ({ object }) {
  const host = hostNamedIn(object);
  if (host !== undefined) yield host;
});

/** Machines by the Node in their status. */
export const machinesByNodeRef = perKind(function* ({ object }) {
  const { nodeRef } = readMachineApi(object);
  if (nodeRef !== undefined) yield nodeRef;
});

const addressesOf = ({ ips, hostname }: Pick<HostFacts, 'ips' | 'hostname'>): readonly string[] =>
  [...ips, hostname].filter((each) => each !== '');

const hostsByAddress: Index = { kind: KINDS.host, keysOf: ({ object }) => addressesOf(readHostFacts(object)) };

const hostsByProviderId: Index = { kind: KINDS.host, keysOf: (entry) => [providerIdOf(entry)] };

const nodesByAddress: Index = { kind: KINDS.node, keysOf: ({ object }) => addressesOf(readNodeFacts(object)) };

const nodesByProviderId: Index = {
  kind: KINDS.node,
  *keysOf({ object }) {
    const { providerID } = readNodeFacts(object);
    if (providerID !== '') yield providerID;
  },
};

interface Wanted {
  readonly nodeRef?: string | undefined;
  readonly providerID?: string;
  readonly host?: HostFacts;
}

/** The Nodes that may be that of a Machine: the named one first, then by providerID, then by address. */
export function nodesOf(stores: Stores, { nodeRef, providerID = '', host }: Wanted): readonly NodeFacts[] {
  const named = nodeRef === undefined ? undefined : stores.get(KINDS.node, keyOf({ namespace: '', name: nodeRef }));
  const ids = [providerID, host === undefined ? '' : providerIdOf(host)].filter((id) => id !== '');
  const found = [
    ...(named === undefined ? [] : [named]),
    ...ids.flatMap((id) => [...stores.having(nodesByProviderId, id)]),
    ...(host ? addressesOf(host) : []).flatMap((each) => [...stores.having(nodesByAddress, each)]),
  ];
  return found.map(({ object }) => readNodeFacts(object));
}

/**
 * The Node of a Machine: the Node that its status names (also if a user wrote it), unless it runs on another host; else
 * the first Node that matches its host.
 */
export function nodeOf(
  nodes: readonly NodeFacts[],
  { nodeRef, providerID, host }: Wanted & { readonly host: HostFacts },
): NodeFacts | undefined {
  const known = providerID ?? '';
  const named = nodes.find(({ name }) => name === nodeRef);
  if (named !== undefined && !isNodeOfAnother(named, host, known)) return named;
  return nodes.find((node) => isNodeOf(node, host, known));
}

/** The Machines whose Node this may be. */
export function* machinesByNode(kind: FollowedKind, node: Entry, stores: Stores): Iterable<Entry> {
  yield* stores.having(machinesByNodeRef(kind), node.name);
  const facts = readNodeFacts(node.object);
  const { providerID } = facts;
  const hosts = [
    ...(providerID === '' ? [] : stores.having(hostsByProviderId, providerID)),
    ...addressesOf(facts).flatMap((each) => [...stores.having(hostsByAddress, each)]),
  ];
  for (const host of hosts) yield* stores.having(machinesByHostIn(kind), keyOf(host));
}
