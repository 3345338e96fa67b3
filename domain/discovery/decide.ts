import { ageOf, believed } from '../clock.ts';
import { traitsOf } from '../states/table.ts';
import { whyNotAllowed } from './allow-list.ts';
import { hostNames } from './host-name.ts';
import {
  hostOfAnyMachine,
  hostsByMachine,
  isOther,
  type KnownHost,
  keyOfHost,
  MINUTE_MS,
  overdueHosts,
} from './known-hosts.ts';
import type { DiscoveredMachine } from './machine.ts';
import { createMachineIndex } from './machine-index.ts';
import type { DiscoverySettings } from './settings.ts';

/** The state of the workflow of an earlier host of a name. */
export type HostLife =
  | { readonly kind: 'never' }
  | { readonly kind: 'running' }
  /** `at` in ms since the epoch. */
  | { readonly kind: 'ended'; readonly at: number };

export interface Discovery {
  /** Nodes that Ironic has enrolled by itself, without those that hosts have. */
  readonly machines: readonly DiscoveredMachine[];
  readonly hosts: readonly KnownHost[];
  readonly settings: DiscoverySettings;
  /** ms since the epoch. */
  readonly now: number;
  /** When this bridge has created hosts, by their keys; the cache of hosts may not have them yet. */
  readonly created: ReadonlyMap<string, number>;
  /** By the name of the host. A name that is missing has not been looked up. */
  readonly lives: ReadonlyMap<string, HostLife>;
}

export type MachineVerdict =
  /**
   * `names`: all that a host of this machine may have had before. `besides`: hosts whose machine it may be, the first
   * few of those that have no `bootMACAddress` and took too long to be inspected; absent without one.
   */
  | {
      readonly kind: 'create';
      readonly name: string;
      readonly names: readonly string[];
      readonly besides?: readonly KnownHost[];
    }
  /** The node stays in Ironic and is judged again. */
  | { readonly kind: 'wait'; readonly reason: string }
  /** The node stays in Ironic, unless there are too many of these. */
  | { readonly kind: 'ignore'; readonly reason: string }
  /** The node is removed from Ironic: the machine has a host, or has to boot again. */
  | { readonly kind: 'remove'; readonly reason: string };

/**
 * Number of nodes without a host that stay in Ironic, the oldest ones: of a flood of made-up machines, the others are
 * removed.
 */
export const KEPT_NODES = 100;

/** Number of hosts that are told that a discovered one may be the same machine. */
const NAMED_HOSTS = 3;

/** Decides on each node, by its id. Older calls come first, so that a flood does not delay them. */
export function decide(discovery: Discovery): ReadonlyMap<string, MachineVerdict> {
  const { machines, hosts, settings, now } = discovery;
  const hostOf = hostsByMachine(hosts);
  const unidentified = hostOfAnyMachine(hosts, now);
  const besides = overdueHosts(hosts, now).slice(0, NAMED_HOSTS);
  const names = new Map(hosts.map((host) => [keyOfHost(host), host]));
  const seen = createMachineIndex<DiscoveredMachine>();
  const discovered = new Set(machines.map(({ nodeId }) => nodeId));
  const byNode = new Map(hosts.filter(({ nodeId }) => nodeId !== '').map((host) => [host.nodeId, host]));
  const waiting = hosts.filter((host) => host.isDiscovered && !host.hasBmcDetails).length;
  const room = { now: settings.limit - createdLately(discovery), ever: settings.maxHosts - waiting, kept: KEPT_NODES };
  const verdicts = new Map<string, MachineVerdict>();

  const ofStranger = (machine: DiscoveredMachine): MachineVerdict => {
    const refusal = whyNotAllowed(machine, settings.allowed);
    if (refusal !== undefined) return { kind: 'ignore', reason: refusal };
    if (unidentified !== undefined) {
      const reason = `it may be the machine of host ${keyOfHost(unidentified)}, which has no bootMACAddress and is not inspected yet`;
      return { kind: traitsOf(unidentified.state).work === 'inspect' ? 'remove' : 'ignore', reason };
    }
    const possible = hostNames(settings.hostName, machine);
    const name = possible.find((each) => !names.has(`${settings.namespace}/${each}`));
    if (name === undefined) return { kind: 'ignore', reason: 'other hosts have all names for it' };
    const life = discovery.lives.get(name) ?? { kind: 'never' };
    if (life.kind === 'running') return { kind: 'wait', reason: `the workflow of a host ${name} still runs` };
    const deleted = possible.find((each) => {
      const former = discovery.lives.get(each);
      return former?.kind === 'ended' && machine.calledAt < believed(former.at, now) + settings.returnAfterMs;
    });
    if (deleted !== undefined)
      return { kind: 'remove', reason: `host ${deleted} was deleted a short time before the machine booted` };
    if (room.ever <= 0) return { kind: 'ignore', reason: `${waiting} discovered hosts wait for BMC details` };
    if (room.now <= 0)
      return { kind: 'ignore', reason: `the limit of ${settings.limit} new hosts a minute is reached` };
    return { kind: 'create', name, names: possible, ...(besides.length > 0 && { besides }) };
  };

  const judge = (machine: DiscoveredMachine): MachineVerdict => {
    const [twin] = seen.alike(machine);
    if (twin !== undefined) return { kind: 'remove', reason: `it is the same machine as node ${twin.nodeId}` };
    seen.add(machine, machine);
    const host = hostOf(machine);
    if (host !== undefined) return ofHost(machine, host);
    const isOfOther = (node: string): boolean => {
      const host = byNode.get(node);
      return host !== undefined && isOther(host, machine);
    };
    const [owner] = machine.portOwners.filter((id) => !isOfOther(id) && !discovered.has(id));
    if (owner !== undefined) return { kind: 'remove', reason: `its MAC address belongs to node ${owner}` };
    return ofStranger(machine);
  };

  for (const machine of inOrder(machines)) {
    const verdict = judge(machine);
    if (verdict.kind === 'create') {
      room.now -= 1;
      room.ever -= 1;
      names.set(`${settings.namespace}/${verdict.name}`, placeFor(verdict.name, settings));
    }
    if (verdict.kind === 'ignore') room.kept -= 1;
    const isTooMany = verdict.kind === 'ignore' && room.kept < 0;
    const reason = isTooMany ? `${verdict.reason}, and ${KEPT_NODES} older nodes are kept` : '';
    verdicts.set(machine.nodeId, isTooMany ? { kind: 'remove', reason } : verdict);
  }
  return verdicts;
}

/**
 * Number of hosts that discovery has created in the last minute. After a restart of the bridge, the hosts themselves
 * show it.
 */
function createdLately({ hosts, created, now }: Discovery): number {
  const shown = hosts
    .filter(({ isDiscovered }) => isDiscovered)
    .map((host) => [keyOfHost(host), host.createdAt] as const);
  const all = new Map([...created, ...shown]);
  return [...all.values()].filter((at) => ageOf(at, now) < MINUTE_MS).length;
}

/** Sorts nodes so that of two nodes for one machine, the node with its ports stays, or else the older node. */
const inOrder = (machines: readonly DiscoveredMachine[]): readonly DiscoveredMachine[] =>
  machines.toSorted(
    (one, other) =>
      one.portOwners.length - other.portOwners.length ||
      one.calledAt - other.calledAt ||
      (one.nodeId < other.nodeId ? -1 : 1),
  );

function ofHost(machine: DiscoveredMachine, host: KnownHost): MachineVerdict {
  const key = keyOfHost(host);
  if (host.isDeleting) return { kind: 'wait', reason: `its host ${key} is being deleted` };
  // A host that is not registered yet takes the node that has its boot MAC address.
  const takesNode =
    host.nodeId === '' && machine.macs.includes(host.bootMac) && !traitsOf(host.state).node.isRegistered;
  if (takesNode) return { kind: 'wait', reason: `host ${key} takes this node when it is registered` };
  return { kind: 'remove', reason: `it is the machine of host ${key}` };
}

/** A host that is about to be created. */
const placeFor = (name: string, { namespace }: DiscoverySettings): KnownHost => ({
  namespace,
  name,
  uid: '',
  state: '',
  isDiscovered: true,
  isDeleting: false,
  hasBmcDetails: false,
  bmcAddress: '',
  reportedBmcAddress: '',
  bootMac: '',
  macs: [],
  nodeId: '',
  discoveredNode: '',
  createdAt: 0,
  begunAt: 0,
});
