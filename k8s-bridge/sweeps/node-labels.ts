import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { ObjectName } from '../../domain/machine/memory/snapshot.ts';
import type { LabelOrder } from '../../domain/machine/memory/step.ts';
import { labelPatch } from '../../domain/machine/node-link/label-sync.ts';
import { KINDS } from '../../kube/kinds.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Log } from '../../platform/log.ts';

/** Number of clusters that are queried at the same time: a cluster that does not answer does not delay others. */
const AT_ONCE = 10;
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
  /** All Nodes of a workload cluster, in one request. */
  readonly listNodes: (cluster: ObjectName, signal: AbortSignal) => Promise<readonly LabelledNode[]>;
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
  /** Checks at this interval until aborted. */
  run(intervalMs: number, signal: AbortSignal): Promise<void>;
}

/** Finds Nodes whose labels were changed by another client: one list for each cluster, however many machines it has. */
export function createLabelSweep({ orders, listNodes, tell, log }: LabelSweepDeps): LabelSweep {
  const drifts = new Map<string, string>();

  const sweepCluster = async ({ cluster, machines }: Labelled, signal: AbortSignal): Promise<void> => {
    const nodes = new Map((await listNodes(cluster, signal)).map((node) => [node.name, node]));
    for (const [key, { node: name, prefixes, labels }] of machines) {
      const node = nodes.get(name);
      if (node === undefined || labelPatch(prefixes, labels, node.labels) === undefined) continue;
      // This version was signalled already; the machine itself retries failed writes.
      if (drifts.get(key) === node.resourceVersion) continue;
      drifts.set(key, node.resourceVersion);
      log.info(
        { kind: KINDS.metal3Machine.kind, object: key, node: name },
        'labels of a Node differ from those of its host',
      );
      tell(key);
    }
  };

  const sweep = async (signal: AbortSignal): Promise<void> => {
    const all = [...orders()];
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
    async run(intervalMs, signal) {
      while (!signal.aborted) {
        await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
        await sweep(signal);
      }
    },
  };
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
