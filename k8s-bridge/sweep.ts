import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { NodeObservation } from '../domain/host/memory/node-observed.ts';
import { nodeFacts } from '../domain/ironic/node/facts.ts';
import type { NodeStateJson } from '../domain/ironic/node/node-json.ts';
import { keyOf } from '../kube/reflector.ts';
import type { Log } from '../platform/log.ts';
import { hostWorkflowId, nodeObserved } from '../workflows/host/messages.ts';
import { differs, nodeIdOf, wasWrittenSince } from './drift.ts';
import { readHost } from './resource.ts';
import type { Cluster, HostEntry } from './watch.ts';

export interface SweepDeps {
  /** All nodes there are, in one request (or a few pages). */
  readonly listNodes: (signal: AbortSignal) => Promise<readonly NodeStateJson[]>;
  readonly client: Client;
  readonly cluster: Pick<Cluster, 'hosts'>;
  readonly intervalMs: number;
  readonly log: Log;
  readonly now: () => number;
}

const DEADLINE_MS = 10_000;

/**
 * Looks at all of Ironic's nodes every now and then, in one list however many hosts there are, and tells the workflows
 * of those hosts that show something else. Runs until aborted.
 */
export async function sweepNodes(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const { intervalMs, log } = deps;
  let outage = false;
  while (!signal.aborted) {
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await sweep(deps, signal);
      if (outage) log.info('Ironic can be looked through again');
      outage = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!outage) log.warn({ err: error }, 'Ironic could not be looked through for changes');
      outage = true;
    }
  }
}

async function sweep({ listNodes, client, cluster, log, now }: SweepDeps, signal: AbortSignal): Promise<void> {
  const began = now();
  const nodes = new Map((await listNodes(signal)).map((node) => [node.uuid, nodeFacts(node)]));
  for (const entry of cluster.hosts()) {
    if (signal.aborted) return;
    const host = readHost(entry.object);
    const nodeId = nodeIdOf(host);
    // What a host shows since then may be newer than the list.
    if (nodeId === '' || wasWrittenSince(host, began)) continue;
    const node = nodes.get(nodeId);
    if (!differs(host, node)) continue;
    log.info({ host: keyOf(entry), node: nodeId, known: node !== undefined }, 'node is not as its host shows');
    await tell(client, entry, { uid: entry.uid, nodeId, node: node ?? null });
  }
}

async function tell(client: Client, host: HostEntry, observation: NodeObservation): Promise<void> {
  try {
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflow.getHandle(hostWorkflowId(host)).signal(nodeObserved, observation),
    );
  } catch (error) {
    // Not started yet: it looks for itself when it is.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
