import { WorkflowNotFoundError } from '@temporalio/client';
import type { NodeObservation } from '../../domain/host/outcome/node-observed.ts';
import { isBusy } from '../../domain/ironic/node/node.ts';
import type { NodeStateJson } from '../../domain/ironic/node/node-json.ts';
import { isAtRest } from '../../domain/states/table.ts';
import { KINDS } from '../../kube/kinds.ts';
import { type BareMetalHostRead, readHost } from '../../kube/objects/baremetalhost.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../../kube/store.ts';
import { hostWorkflowId, nodeObserved } from '../../workflows/messages.ts';
import type { Around } from '../around.ts';
import { digestOf } from '../digest.ts';
import type { PowerSeen, Remembered } from '../ledger.ts';
import type { OwnObjects } from '../watch/own-objects.ts';
import {
  comparedNode,
  differs,
  isOccupiedFree,
  isUnadoptable,
  isUnused,
  nodeIdOf,
  observedNode,
  wasWrittenSince,
} from './node-drift.ts';

export interface NodeSweepDeps extends Pick<Around, 'client' | 'ledger' | 'log' | 'now'> {
  readonly hosts: OwnObjects;
  /** True for a host whose node another operator changes. */
  readonly isLeftAlone: (host: Entry) => boolean;
  /** Starts the workflow of this host if none runs. */
  readonly revive: (key: string) => Promise<void>;
}

const DEADLINE_MS = 10_000;
/**
 * Interval at which a node is signalled again that Ironic considers unused, can't adopt, or has something on although
 * its host is free: the run may have been busy the last time.
 */
const AGAIN_MS = 60_000;

/** All nodes of Ironic, in the order of their creation, and the time of the request (ms since the epoch). */
export interface ListedNodes {
  readonly all: readonly NodeStateJson[];
  readonly askedAt: number;
}

/**
 * Compares all Ironic nodes with their hosts, and signals the hosts that differ, or whose server Ironic has switched by
 * itself. The same observation is signalled again only after the host has been written, or for nodes that are repeated
 * (`AGAIN_MS`).
 */
export function createNodeSweep({ client, hosts, isLeftAlone, ledger, revive, log, now }: NodeSweepDeps) {
  const signal = async (host: Entry, observation: NodeObservation, isRepeated: boolean): Promise<void> => {
    const known = ledger.of(host.uid);
    const { run = '', revision = 0 } = known.written ?? {};
    const turn = isRepeated ? Math.floor(now() / AGAIN_MS) : 0;
    const digest = digestOf({ observation, run, revision, turn });
    if (known.nodeSignalled === digest) return;
    log.info(
      { kind: KINDS.host.kind, object: keyOf(host), node: observation.nodeId, known: observation.node !== null },
      'Ironic node differs from what its host shows',
    );
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflow.getHandle(hostWorkflowId(host)).signal(nodeObserved, observation),
    );
    known.nodeSignalled = digest;
  };

  return async ({ all, askedAt }: ListedNodes, unlessAborted: AbortSignal): Promise<void> => {
    const nodes = new Map(all.map((node) => [node.uuid, node]));
    for (const entry of hosts.values()) {
      if (unlessAborted.aborted) return;
      const host = readHost(entry.object);
      const nodeId = isLeftAlone(entry) ? '' : nodeIdOf(host);
      const known = ledger.of(entry.uid);
      // This host is not compared: forget its last power.
      if (nodeId === '') known.powerSeen = undefined;
      // A status that was written since then may be newer than the list.
      if (nodeId === '' || wasWrittenSince(host, askedAt, now())) continue;
      const listed = nodes.get(nodeId);
      const node = comparedNode(host, listed);
      const power = listed && powerAtRest(host, listed, known);
      const switchedByIronicAt = switchedBetween(known.powerSeen, power);
      try {
        if (differs(host, node) || switchedByIronicAt !== undefined) {
          const unused = node !== undefined && isUnused(host, node);
          const unadoptable = node !== undefined && isUnadoptable(host, node);
          const observation: NodeObservation = {
            uid: entry.uid,
            nodeId,
            node: node ?? null,
            ...(unused && { unused }),
            ...(unadoptable && { unadoptable }),
            ...(switchedByIronicAt !== undefined && { switchedByIronicAt }),
          };
          const isOccupied = node !== undefined && isOccupiedFree(host, node);
          await signal(entry, observation, unused || unadoptable || isOccupied);
        }
        // Ironic takes some time to switch a server. Until the host is at rest again, its last observed power is kept.
        known.powerSeen = power ?? known.powerSeen;
      } catch (error) {
        // A failure for one host does not end the sweep.
        if (error instanceof WorkflowNotFoundError) await revive(keyOf(entry)).catch(() => undefined);
        else
          log.info(
            { kind: KINDS.host.kind, object: keyOf(entry), err: error },
            'the observation of an Ironic node could not be signalled',
          );
      }
    }
  };
}

/**
 * Lists all nodes once for all listeners, in one request or a few pages. A failure of one listener does not keep the
 * others from looking.
 */
export const lookAtNodes =
  (
    listNodes: (signal: AbortSignal) => Promise<readonly NodeStateJson[]>,
    looks: readonly ((nodes: ListedNodes, signal: AbortSignal) => Promise<void>)[],
    now: () => number,
  ) =>
  async (signal: AbortSignal): Promise<void> => {
    const askedAt = now();
    const all = await listNodes(signal);
    const ends = await Promise.allSettled(looks.map((look) => look({ all, askedAt }, signal)));
    const failure = ends.find((end) => end.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  };

/**
 * The power of a host that is at rest in this list: its status shows the power of its node, and nothing is written
 * about it or done with it. undefined when it is not, or when Ironic does not say when it has switched a server.
 */
export function powerAtRest(
  { spec, status }: BareMetalHostRead,
  listed: NodeStateJson,
  { written, writing }: Pick<Remembered, 'written' | 'writing'>,
): PowerSeen | undefined {
  const node = observedNode(listed);
  const isResting = isAtRest(status.state) && !isBusy(node.state) && !node.powerPending;
  if (!isResting || writing > 0 || node.poweredOn !== status.poweredOn || !listed.driver_internal_info)
    return undefined;
  // A host that is never powered off is rebooted without showing "off", and Ironic does not restore its power.
  if (spec.disablePowerOff) return undefined;
  const { run = '', revision = 0 } = written ?? {};
  return { changedAt: listed.driver_internal_info.last_power_state_change ?? '', run, revision };
}

/**
 * The time (RFC 3339) at which Ironic switched the server of a host that was at rest in two lists, with nothing written
 * about it between them: Temper shows "off" before it switches a server on again.
 */
export function switchedBetween(before: PowerSeen | undefined, now: PowerSeen | undefined): string | undefined {
  if (before === undefined || now === undefined) return undefined;
  if (before.run !== now.run || before.revision !== now.revision) return undefined;
  // An Ironic that was restored from a backup reports an earlier time.
  return now.changedAt > before.changedAt ? `${now.changedAt.slice(0, SECONDS)}Z` : undefined;
}

const SECONDS = '2026-01-01T00:00:00'.length;
