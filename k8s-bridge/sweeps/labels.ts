import { z } from 'zod';
import {
  createWorkloadClusters,
  type WorkloadClusters,
  type WorkloadProxies,
} from '../../activities/workload/clusters.ts';
import { visitNodes } from '../../activities/workload/list-nodes.ts';
import { lenientTexts } from '../../api/meta/lenient.ts';
import { METADATA_ONLY } from '../../kube/reflector.ts';
import type { KeptSizes } from '../../platform/metrics/kept.ts';
import type { Around } from '../around.ts';
import { labelOrders } from '../bindings/machine.ts';
import type { OwnObjects } from '../watch/own-objects.ts';
import { createLabelSweep, type LabelSweep, type LabelSweepDeps } from './node-labels.ts';

interface LabelsDeps extends Pick<Around, 'kube' | 'stores' | 'log'> {
  readonly proxies: WorkloadProxies;
  /** The Metal3Machines of this bridge (`--watch-filter`). */
  readonly machines: OwnObjects;
  /** Queues the Metal3Machine with this key. */
  readonly look: (key: string) => void;
}

export interface Labels extends Pick<LabelSweep, 'driftOf' | 'sweep'> {
  close(): Promise<void>;
  readonly kept: KeptSizes;
}

/** Of each Node only the metadata is sent: 5 to 10 KiB. */
const PAGE = 100;

/** The version is kept for as long as the machine exists, and the tenant's API server can make it as long as it likes. */
const labelled = z.object({
  metadata: z.object({ name: z.string(), resourceVersion: z.string().max(64), labels: lenientTexts }),
});

/** Visits the metadata of the Nodes of a workload cluster; odd Nodes are left out. */
export const visitLabelled =
  (clusters: Pick<WorkloadClusters, 'connect'>): LabelSweepDeps['visitNodes'] =>
  async (cluster, signal, visit) => {
    const pages = { size: PAGE, accept: METADATA_ONLY.list, signal };
    await visitNodes(await clusters.connect(cluster), cluster, pages, (node) => {
      const { data } = labelled.safeParse(node);
      if (data !== undefined) visit(data.metadata);
    });
  };

/** Compares labels with the Nodes of workload clusters; each cluster is reached with the kubeconfig in its Secret. */
export function createLabels({ kube, proxies, stores, machines, look, log }: LabelsDeps): Labels {
  const clusters = createWorkloadClusters(kube, proxies);
  const sweep = createLabelSweep({
    orders: () => labelOrders(machines.values(), stores),
    visitNodes: visitLabelled(clusters),
    tell: look,
    log,
  });
  return {
    driftOf: sweep.driftOf,
    sweep: sweep.sweep,
    close: () => clusters.close(),
    kept: { node_label_drifts: () => sweep.size, workload_connections: () => clusters.size },
  };
}
