import { ageOf } from '../../../domain/clock.ts';
import { type DiscoveredMachine, machineOf } from '../../../domain/discovery/machine.ts';
import type { NodeStateJson } from '../../../domain/ironic/node/node-json.ts';
import { exempt } from '../../permits/permit.ts';
import type { IronicClient } from '../client/client.ts';
import { isBusyError, isIronicRefusal } from '../client/errors.ts';
import { type FailingNodes, nodeByNode } from './node-by-node.ts';

/** A node that Ironic has enrolled by itself. Nodes that somebody has named or enrolled are never among these. */
export type DiscoveredNode =
  | { readonly kind: 'machine'; readonly machine: DiscoveredMachine }
  /** No host can be created for it. */
  | { readonly kind: 'useless'; readonly nodeId: string; readonly reason: string }
  /** Ironic could not describe it; a later turn asks again. */
  | { readonly kind: 'unread'; readonly nodeId: string; readonly reason: string };

export interface DiscoveredNodes {
  /**
   * Finds the nodes, in the order of their creation, that Ironic has enrolled by itself and that no host has. Sends
   * requests for new nodes only. Fails when Ironic fails for several nodes in a row.
   */
  look(
    all: readonly NodeStateJson[],
    isOfHost: (nodeId: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly DiscoveredNode[]>;
  /** The machine of a node; undefined when Ironic has no inventory of it, or has not enrolled it by itself. */
  machine(nodeId: string, signal: AbortSignal): Promise<DiscoveredMachine | undefined>;
  /** Deletes a node unless somebody has taken it in the meantime; a node that is busy stays. True: it is gone. */
  remove(nodeId: string, signal: AbortSignal): Promise<boolean>;
  /** Number of remembered nodes: no more than the last list had. */
  readonly size: number;
}

/** Number of nodes that are examined in one turn, the oldest first: a flood of calls makes no endless turn. */
const LOOKS = 200;
/** Number of MAC addresses that are searched for at other nodes, for a machine without ports of its own. */
const PORT_LOOKS = 8;

/**
 * How Ironic begins the error of a node whose inspection data it could not use: in the node's history, and in its last
 * error, which Ironic writes after that.
 */
const FAILED = ['Failed to finish inspection', 'Async execution of continue_inspection failed'];
const isFailed = (error: string | null | undefined): boolean =>
  FAILED.some((beginning) => error?.startsWith(beginning) === true);

/** A node that has no inventory after this time will not get one. */
const YOUNG_MS = 10 * 60_000;

interface Seen {
  readonly createdAt: number;
  /** undefined: not enrolled by Ironic itself, or not described yet. */
  readonly found: DiscoveredNode | undefined;
}

/**
 * Remembers what it has read of each node until the node is gone: a discovered node never gets another inventory in
 * state `enroll`.
 */
export function createDiscoveredNodes(
  client: Pick<
    IronicClient,
    'createdAt' | 'inventory' | 'newestError' | 'portsOfNode' | 'portsByAddress' | 'getNode' | 'deleteNode'
  >,
  now: () => number,
): DiscoveredNodes {
  const seen = new Map<string, Seen>();
  const failing: FailingNodes = new Map();

  const otherOwners = async (machine: DiscoveredMachine, signal: AbortSignal): Promise<readonly string[]> => {
    const own = new Set((await client.portsOfNode(machine.nodeId, { signal })).map(({ address }) => address));
    const owners = new Set<string>();
    for (const mac of machine.macs.filter((each) => !own.has(each)).slice(0, PORT_LOOKS)) {
      for (const { nodeId } of await client.portsByAddress(mac, { signal }))
        if (nodeId !== undefined) owners.add(nodeId);
    }
    owners.delete(machine.nodeId);
    return [...owners];
  };

  const describe = async (
    { uuid: nodeId, last_error }: Pick<NodeStateJson, 'uuid' | 'last_error'>,
    calledAt: number,
    signal: AbortSignal,
  ): Promise<DiscoveredNode | undefined> => {
    const described = await client.inventory(nodeId, { signal });
    if (described === undefined) {
      // In state `enroll`, only a node that Ironic has enrolled by itself has such an error. Powering its machine off
      // clears it, but not in the history.
      const isUseless = isFailed(last_error) || isFailed(await client.newestError(nodeId, { signal }));
      if (!isUseless) return undefined;
      return { kind: 'useless', nodeId, reason: 'Ironic could not use its inventory' };
    }
    if (described.plugins.auto_discovered !== true) return undefined;
    const machine = machineOf({ nodeId, calledAt }, described.inventory, described.plugins);
    if ('problem' in machine) return { kind: 'useless', nodeId, reason: machine.problem };
    return { kind: 'machine', machine: { ...machine, portOwners: await otherOwners(machine, signal) } };
  };

  const isSettled = ({ createdAt, found }: Seen): boolean => found !== undefined || ageOf(createdAt, now()) > YOUNG_MS;

  return {
    async look(all, isOfHost, signal) {
      const listed = all.filter((node) => node.provision_state === 'enroll');
      const ids = new Set(listed.map(({ uuid }) => uuid));
      for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id);
      for (const id of failing.keys()) if (!ids.has(id)) failing.delete(id);
      // A reserved node is being described right now.
      const open = listed.filter(
        ({ uuid, name, reservation }) => name === null && reservation == null && !isOfHost(uuid),
      );
      const unread = new Map<string, DiscoveredNode>();
      const { perform, isResting } = nodeByNode(signal, failing);
      let looks = LOOKS;
      for (const node of open) {
        const { uuid: nodeId } = node;
        const known = seen.get(nodeId);
        if ((known !== undefined && isSettled(known)) || looks === 0) continue;
        if (!isResting(nodeId)) looks -= 1;
        const failure = await perform(nodeId, async () => {
          const createdAt = known?.createdAt ?? (await client.createdAt(nodeId, { signal }));
          if (createdAt === undefined) return;
          seen.set(nodeId, { createdAt, found: await describe(node, createdAt, signal) });
        });
        if (failure !== undefined) unread.set(nodeId, { kind: 'unread', nodeId, reason: failure });
      }
      return open.flatMap(({ uuid }) => unread.get(uuid) ?? seen.get(uuid)?.found ?? []);
    },

    async machine(nodeId, signal) {
      const found = await describe({ uuid: nodeId, last_error: null }, 0, signal);
      return found?.kind === 'machine' ? found.machine : undefined;
    },

    async remove(nodeId, signal) {
      // A registration may have taken the node since the list.
      const node = await client.getNode(nodeId, { signal });
      if (node === undefined) return true;
      if (node.name !== null || node.provision_state !== 'enroll' || node.reservation != null) return false;
      try {
        await client.deleteNode(nodeId, { signal, permit: exempt('forget a discovered node') });
        return true;
      } catch (error) {
        if (isIronicRefusal(error, 400, 409) || isBusyError(error)) return false;
        throw error;
      }
    },

    get size() {
      return new Set([...seen.keys(), ...failing.keys()]).size;
    },
  };
}
