import type { LinkAnswer, LinkOrder } from '../memory/link.ts';
import { NODE_UUID_LABEL } from '../names.ts';

/** A Node of the workload cluster, with the fields that linking needs. */
export interface KubernetesNode {
  readonly name: string;
  /** '' when it has none yet. */
  readonly providerID: string;
  /** From its labels: the uid of its host, and its host name. */
  readonly uuid?: string;
  readonly hostname?: string;
}

/** Both formats of the providerID for this machine's host. */
export function providerIds({ host, machine }: Pick<LinkOrder, 'host' | 'machine'>): {
  readonly names: string;
  readonly uid: string;
} {
  return { names: `metal3://${machine.namespace}/${host.name}/${machine.name}`, uid: `metal3://${host.uid}` };
}

const BY_CLOUD = 'failed to set ProviderID on Metal3Machine based on Cloud Provider Node ProviderID';
const BY_LABEL = 'failed to set ProviderID on Metal3Machine based on Node label';
const BY_HOSTNAME = 'unable to find Node by hostname, it may not be ready yet';

/** The answer while the cluster of the machine cannot be asked for its Nodes. */
export const notAsked = ({ cloudProvider }: LinkOrder, why: string): LinkAnswer => ({
  kind: 'absent',
  reason: 'CreateError',
  message: `${cloudProvider ? BY_CLOUD : BY_LABEL}: ${why}`,
});

/**
 * Finds the Node of this machine and the providerID that links them. An existing providerID is kept, in either format.
 */
export function linkNode(nodes: readonly KubernetesNode[], order: LinkOrder): LinkAnswer {
  const ids = providerIds(order);
  const known = new Set([ids.names, ids.uid, ...(order.providerID === '' ? [] : [order.providerID])]);
  const prefix = `metal3://${order.machine.namespace}/${order.host.name}/`;
  const mine = nodes.filter(({ providerID }) => known.has(providerID) || providerID.startsWith(prefix));
  if (mine.length > 1) return duplicate(mine, order);

  const carried = mine.find(({ providerID }) => known.has(providerID));
  if (carried !== undefined) {
    const rivals = order.providerID === '' && carried.providerID === ids.uid ? rivalsOf(carried, nodes, order) : [];
    if (rivals.length > 0) return ambiguous(nodes, [carried, ...rivals], order);
    const by = order.cloudProvider && order.providerID === '' ? 'cloud provider' : 'providerID';
    return { kind: 'linked', node: carried.name, providerID: carried.providerID, write: false, by };
  }
  if (order.cloudProvider) {
    return { kind: 'absent', reason: 'CreateError', message: `${BY_CLOUD}: error retrieving node` };
  }
  return byLabel(nodes, mine, order);
}

/**
 * The uid names the host, not the machine: a Node with it may be left from the previous machine. These are the Nodes
 * that would be found without the uid.
 */
const rivalsOf = (
  carried: KubernetesNode,
  nodes: readonly KubernetesNode[],
  order: LinkOrder,
): readonly KubernetesNode[] =>
  nodes.filter(
    (node) =>
      node !== carried && (isLabelled(node, order) || (!order.labelled && isNamed(node, order) && !node.providerID)),
  );

const isLabelled = ({ uuid }: KubernetesNode, { host }: LinkOrder): boolean => uuid === host.uid;
const isNamed = ({ hostname }: KubernetesNode, { hostnames }: LinkOrder): boolean =>
  hostname !== undefined && hostnames.includes(hostname);

function ambiguous(
  nodes: readonly KubernetesNode[],
  claimants: readonly KubernetesNode[],
  order: LinkOrder,
): LinkAnswer {
  const labelled = nodes.filter((node) => isLabelled(node, order));
  return labelled.length > 1 ? labelledTwice(labelled, order) : duplicate(claimants, order);
}

function labelledTwice(labelled: readonly KubernetesNode[], order: LinkOrder): LinkAnswer {
  const names = labelled.map(({ name }) => name).join(', ');
  const message = `${BY_LABEL}: found multiple target nodes with the same label: (${labelOf(order)}): ${names}`;
  return { kind: 'refused', reason: 'CreateError', message };
}

const labelOf = ({ host }: LinkOrder): string => `${NODE_UUID_LABEL}=${host.uid}`;

function duplicate(mine: readonly KubernetesNode[], order: LinkOrder): LinkAnswer {
  const names = mine.map(({ name }) => name).join(', ');
  const [first] = mine;
  const isOne = mine.every(({ providerID }) => providerID === first?.providerID);
  return {
    kind: 'refused',
    reason: 'CreateError',
    message: isOne
      ? `providerID ${first?.providerID} is in use by multiple nodes: (${names})`
      : `providerID (${wanted(order)}) cannot be used at the same time by node: (${names})`,
  };
}

/** The providerID for a Node without one. */
const wanted = (order: LinkOrder): string => order.providerID || providerIds(order)[order.format];

function byLabel(nodes: readonly KubernetesNode[], mine: readonly KubernetesNode[], order: LinkOrder): LinkAnswer {
  const labelled = nodes.filter((node) => isLabelled(node, order));
  const [node] = labelled;
  if (labelled.length > 1) return labelledTwice(labelled, order);
  if (node === undefined) {
    if (!order.labelled) return byHostname(nodes, order);
    const message = `${BY_LABEL}: could not find node with label: ${labelOf(order)}`;
    return { kind: 'absent', reason: 'CreateError', message };
  }
  if (node.providerID === '') {
    const others = mine.filter(({ name }) => name !== node.name);
    if (others.length > 0) return duplicate([...others, { ...node, providerID: '' }], order);
    return { kind: 'linked', node: node.name, providerID: wanted(order), write: true, by: 'label' };
  }
  const message = `${BY_LABEL}: node using unsupported providerID format: ${node.name} has ${node.providerID}`;
  return { kind: 'refused', reason: 'CreateError', message };
}

/** Without labels on Nodes, the machine gets its providerID at once, and its Node gets it when it appears. */
function byHostname(nodes: readonly KubernetesNode[], order: LinkOrder): LinkAnswer {
  const providerID = wanted(order);
  const absent = (why: string): LinkAnswer => ({
    kind: 'absent',
    reason: 'UpdateError',
    message: `${BY_HOSTNAME}: ${why}`,
    providerID,
  });
  const { hostnames } = order;
  if (hostnames.length === 0) return absent('metal3Data Secret not ready');
  if (nodes.length === 0) return absent('no Nodes found');
  const matching = nodes.filter((candidate) => isNamed(candidate, order));
  const [node] = matching;
  if (node === undefined) return absent(`no nodes matching hostnames: ${hostnames.join(', ')}`);
  if (matching.length > 1) return absent(`multiple nodes matching hostnames: ${hostnames.join(', ')}`);
  if (node.providerID !== '') {
    const message = `${BY_HOSTNAME}: ${node.name} has another providerID: ${node.providerID}`;
    return { kind: 'refused', reason: 'UpdateError', message };
  }
  return { kind: 'linked', node: node.name, providerID, write: true, by: 'host name' };
}
