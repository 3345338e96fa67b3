import { z } from 'zod';
import { reuseLabel } from '../../activities/kubernetes/machine/node-reuse.ts';
import { createWorkloadClusters } from '../../activities/workload/clusters.ts';
import type { Candidate } from '../../domain/machine/select-host.ts';
import type { Kube } from '../../kube/client.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { KINDS } from '../../kube/kinds.ts';
import { nodePath } from '../../kube/paths.ts';
import { METADATA_ONLY } from '../../kube/reflector.ts';
import type { BridgeConfig } from '../../platform/config/config.ts';
import type { Log } from '../../platform/log.ts';
import { isAbandoned, labelOrders, machineBinding, mayClaim } from '../bindings/machine.ts';
import { clusterOf, factsOf } from '../bindings/read.ts';
import type { Binding, Entry, Stores } from '../entities/binding.ts';
import { lookedAfterBy, type OwnObjects, ownObjects } from '../entities/looked-after.ts';
import type { FollowedStores } from '../entities/stores.ts';
import type { HostEntry } from '../watch.ts';
import { type ChoiceActivities, createHostChoice } from './host-choice.ts';
import { createLabelSweep } from './label-sweep.ts';

interface MachinesDeps {
  readonly kube: Kube;
  readonly config: Pick<
    BridgeConfig,
    'PROVIDER_ID_FORMAT' | 'CAPM3_FAST_TRACK' | 'LABEL_SWEEP_INTERVAL' | 'WATCH_FILTER'
  >;
  readonly stores: () => Stores & Pick<FollowedStores, 'complete'>;
  readonly hosts: () => readonly HostEntry[];
  /** There is news for the Metal3Machine of this key. */
  readonly tell: (key: string) => void;
  readonly log: Log;
}

/** Metal3Machines, and the hosts that they choose from. */
interface Machines {
  readonly binding: Binding;
  readonly activities: ChoiceActivities;
  hostChanged(now: HostEntry | undefined, before: HostEntry | undefined): void;
  /** Some object of this kind came, changed or, with nothing for it now, went. */
  objectChanged(kind: FollowedKind, now: Entry | undefined): void;
  /** Looks for Nodes that are not labelled as their hosts, until aborted. */
  sweepLabels(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

const nodeList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        resourceVersion: z.string(),
        labels: z.record(z.string(), z.string()).default({}),
      }),
    }),
  ),
});

export function createMachines({ kube, config, stores, hosts, tell, log }: MachinesDeps): Machines {
  const isLookedAfter = lookedAfterBy(config.WATCH_FILTER);
  const own = (): OwnObjects => ownObjects(KINDS.metal3Machine, stores(), isLookedAfter);
  const candidateOf = (entry: HostEntry): Candidate => {
    const host = factsOf(entry);
    return isAbandoned(host, stores()) ? { ...host, abandoned: true } : host;
  };
  const choice = createHostChoice({
    hosts: () => hosts().map(candidateOf),
    isReady: () => stores().complete,
    reuseLabel: (place) => reuseLabel(kube, place),
    tell,
    isActive(key) {
      const machine = own().get(key);
      return machine !== undefined && mayClaim(machine, stores());
    },
    dice: Math.random,
  });
  const clusters = createWorkloadClusters(kube);
  const labels = createLabelSweep({
    orders: () => labelOrders(own().values(), stores()),
    async listNodes(cluster, signal) {
      const workload = await clusters.connect(cluster);
      const { list: accept } = METADATA_ONLY;
      // The API server's own copy is new enough.
      const answer = await workload.request({ path: nodePath(), query: { resourceVersion: '0' }, accept, signal });
      return nodeList.parse(answer).items.map(({ metadata }) => metadata);
    },
    tell,
    log,
  });
  const settings = { providerIdFormat: config.PROVIDER_ID_FORMAT, fastTrack: config.CAPM3_FAST_TRACK };
  return {
    binding: machineBinding({ settings, newsOf: choice.newsOf, driftOf: labels.driftOf }),
    activities: choice.activities,
    hostChanged: (now, before) => choice.hostChanged(now && candidateOf(now), before && factsOf(before)),
    objectChanged(kind, now) {
      // While a Cluster lives on nobody else's host comes free by it: all hosts are gone through once it is over.
      if (kind.kind !== KINDS.cluster.kind || (now !== undefined && !clusterOf(now).deleting)) return;
      for (const host of hosts().map(candidateOf)) if (host.abandoned === true) choice.hostChanged(host, host);
    },
    sweepLabels: (signal) => labels.run(config.LABEL_SWEEP_INTERVAL, signal),
    async stop() {
      choice.stop();
      await clusters.close();
    },
  };
}
