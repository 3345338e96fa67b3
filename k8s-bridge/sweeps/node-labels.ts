import { setImmediate as nextTurn } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { ObjectName } from '../../domain/entity/object-ref.ts';
import type { LabelOrder } from '../../domain/machine/memory/step.ts';
import { labelPatch } from '../../domain/machine/node-link/label-sync.ts';
import { KINDS } from '../../kube/kinds.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Log } from '../../platform/log.ts';

/**
 * Number of clusters that are queried at the same time: a cluster that does not answer does not delay others, and a few
 * that answer with as much as they may fit into memory.
 */
const AT_ONCE = 4;
const PATIENCE_MS = 10_000;

/** A Node's metadata. */
export interface LabelledNode {
  readonly name: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface LabelSweepDeps {
  /** The desired labels of machines' Nodes, by the keys of the machines. */
  readonly orders: () => Iterable<readonly [string, LabelOrder]>;
  /** Visits all Nodes of a workload cluster. */
  readonly visitNodes: (cluster: ObjectName, signal: AbortSignal, visit: (node: LabelledNode) => void) => Promise<void>;
  /** Queues the machine with this key. */
  readonly tell: (key: string) => void;
  readonly log: Log;
}

export interface LabelSweep {
  /** Version of the machine's Node when its labels last differed from those of the host. */
  readonly driftOf: (key: string) => string | undefined;
  /** Machines whose Node differed. */
  readonly size: number;
  /** Checks once the Nodes of the clusters with copied labels. */
  readonly sweep: (signal: AbortSignal) => Promise<void>;
}

/** Finds Nodes whose labels were changed by another client: one list for each cluster, however many machines it has. */
export function createLabelSweep({ orders, visitNodes, tell, log }: LabelSweepDeps): LabelSweep {
  const drifts = new Map<string, string>();

  const compare = (
    key: string,
    { prefixes, labels }: LabelOrder,
    { name, labels: present, resourceVersion }: LabelledNode,
  ): void => {
    if (labelPatch(prefixes, labels, present) === undefined) return;
    // This version was signalled already; the machine itself retries failed writes.
    if (drifts.get(key) === resourceVersion) return;
    drifts.set(key, resourceVersion);
    log.info(
      { kind: KINDS.metal3Machine.kind, object: key, node: name },
      'labels of a Node differ from those of its host',
    );
    tell(key);
  };

  const sweepCluster = async ({ cluster, machines }: Labelled, signal: AbortSignal): Promise<void> => {
    const byNode = Map.groupBy(machines, ([, { node }]) => node);
    await visitNodes(cluster, signal, (node) => {
      for (const [key, order] of byNode.get(node.name) ?? []) compare(key, order, node);
      // A Node that the server names again is not compared again.
      byNode.delete(node.name);
    });
  };

  const sweep = async (signal: AbortSignal): Promise<void> => {
    const all = await inParts(orders());
    const present = new Set(all.map(([key]) => key));
    for (const key of drifts.keys()) if (!present.has(key)) drifts.delete(key);
    const queue = new PQueue({ concurrency: AT_ONCE });
    for (const labelled of byCluster(all)) {
      void queue.add(() =>
        sweepCluster(labelled, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])).catch((error: unknown) => {
          if (!signal.aborted)
            log.info({ cluster: labelled.cluster, err: error }, 'the Nodes of a cluster could not be listed');
        }),
      );
    }
    await queue.onIdle();
  };

  return {
    driftOf: (key) => drifts.get(key),
    get size() {
      return drifts.size;
    },
    sweep,
  };
}

/** Hosts whose labels are looked at in one turn of the event loop: all labels of one may take milliseconds. */
const IN_ONE_TURN = 10;

async function inParts<Item>(items: Iterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (const item of items) {
    all.push(item);
    if (all.length % IN_ONE_TURN === 0) await nextTurn();
  }
  return all;
}

interface Labelled {
  readonly cluster: ObjectName;
  readonly machines: (readonly [string, LabelOrder])[];
}

function byCluster(orders: readonly (readonly [string, LabelOrder])[]): Iterable<Labelled> {
  const found = new Map<string, Labelled>();
  for (const one of orders) {
    const { cluster } = one[1];
    const labelled = found.get(keyOf(cluster)) ?? { cluster, machines: [] };
    labelled.machines.push(one);
    found.set(keyOf(cluster), labelled);
  }
  return found.values();
}
