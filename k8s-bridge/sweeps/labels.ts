import { createWorkloadClusters } from '../../activities/workload/clusters.ts';
import type { Kube } from '../../kube/client.ts';
import { itemsOf, readMetadata } from '../../kube/objects/metadata.ts';
import { nodePath } from '../../kube/paths.ts';
import { METADATA_ONLY } from '../../kube/reflector.ts';
import type { Stores } from '../../kube/store.ts';
import type { Log } from '../../platform/log.ts';
import type { KeptSizes } from '../../platform/metrics/kept.ts';
import { labelOrders } from '../bindings/machine.ts';
import type { OwnObjects } from '../watch/own-objects.ts';
import { createLabelSweep, type LabelSweep } from './node-labels.ts';

interface LabelsDeps {
  readonly kube: Kube;
  readonly stores: Stores;
  /** The Metal3Machines of this bridge (`--watch-filter`). */
  readonly machines: OwnObjects;
  /** Queues the Metal3Machine with this key. */
  readonly look: (key: string) => void;
  readonly log: Log;
}

export interface Labels extends Pick<LabelSweep, 'driftOf' | 'run'> {
  close(): Promise<void>;
  readonly kept: KeptSizes;
}

/** Compares labels with the Nodes of workload clusters; each cluster is reached with the kubeconfig in its Secret. */
export function createLabels({ kube, stores, machines, look, log }: LabelsDeps): Labels {
  const clusters = createWorkloadClusters(kube);
  const sweep = createLabelSweep({
    orders: () => labelOrders(machines.values(), stores),
    async listNodes(cluster, signal) {
      const workload = await clusters.connect(cluster);
      const { list: accept } = METADATA_ONLY;
      // Version 0: the API server answers from its cache.
      const answer = await workload.request({ path: nodePath(), query: { resourceVersion: '0' }, accept, signal });
      return itemsOf(answer).map(readMetadata);
    },
    tell: look,
    log,
  });
  return {
    driftOf: sweep.driftOf,
    run: (...interval) => sweep.run(...interval),
    close: () => clusters.close(),
    kept: { node_label_drifts: () => sweep.size, workload_connections: () => clusters.size },
  };
}
