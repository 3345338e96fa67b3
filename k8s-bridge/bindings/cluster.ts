import { METAL3_CLUSTER_FINALIZER } from '../../api/metal3cluster/kind.ts';
import { metal3Cluster } from '../../api/metal3cluster/schema.ts';
import type { Metal3ClusterSnapshot } from '../../domain/cluster/snapshot.ts';
import { CLUSTER_ANNOTATIONS, isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import { identityOf } from '../../domain/entity/seen.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { readCluster } from '../../kube/objects/cluster.ts';
import { conditionsIn, legacyConditionsIn } from '../../kube/objects/conditions.ts';
import { machinesByCluster, readMachine } from '../../kube/objects/machine.ts';
import { ownerOf, readMetadata } from '../../kube/objects/metadata.ts';
import { metal3ClustersByOwner } from '../../kube/objects/metal3cluster.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import { type Binding, CLUSTER_API_EVENTS, zodProblems } from '../binding.ts';

export const clusterBinding: Binding = {
  followed: KINDS.metal3Cluster,
  finalizer: METAL3_CLUSTER_FINALIZER,
  related: [KINDS.cluster, KINDS.machine],
  unreadableReason: 'InvalidMetal3Cluster',
  ...CLUSTER_API_EVENTS,
  concerned: onObject,
  observe,
  essence(snapshot) {
    const { status: _, resourceVersion: __, ...seen } = snapshot as Metal3ClusterSnapshot;
    return seen;
  },
};

/** A Machine matters only to a cluster that is being deleted. */
function* onObject(kind: FollowedKind, entry: Entry, stores: Stores): Iterable<string> {
  const name = kind.kind === KINDS.cluster.kind ? entry.name : readMachine(entry.object).cluster;
  const { namespace } = entry;
  for (const each of stores.having(metal3ClustersByOwner, keyOf({ namespace, name }))) yield keyOf(each);
}

const ownerNameOf = (entry: Entry): string | undefined => ownerOf(readMetadata(entry.object), KINDS.cluster)?.name;

function observe(entry: Entry, stores: Stores): ReturnType<Binding['observe']> {
  const read = metal3Cluster.safeParse(entry.object);
  if (!read.success) return { problems: zodProblems(read.error.issues) };
  const { metadata, spec, status } = read.data;
  const { namespace } = entry;
  const { annotations = {}, finalizers = [], deletionTimestamp } = metadata;
  const ownerName = ownerNameOf(entry);
  const found = ownerName === undefined ? undefined : stores.get(KINDS.cluster, keyOf({ namespace, name: ownerName }));
  const owner = found && readCluster(found.object);
  const snapshot: Metal3ClusterSnapshot = {
    ...identityOf(metadata),
    paused: isPausedByAnnotation(metadata),
    managedElsewhere: CLUSTER_ANNOTATIONS.managedBy in annotations,
    hasFinalizer: finalizers.includes(METAL3_CLUSTER_FINALIZER),
    spec,
    ...(owner !== undefined && { owner: { name: owner.name, paused: owner.paused } }),
    ...(owner === undefined && ownerName !== undefined && { missingOwner: ownerName }),
    machines: deletionTimestamp === undefined ? 0 : machinesOf(namespace, ownerName, stores),
    ...(status !== undefined && {
      status: {
        ...(status.initialization?.provisioned !== undefined && { provisioned: status.initialization.provisioned }),
        conditions: conditionsIn(status),
        legacyConditions: legacyConditionsIn(status),
      },
    }),
  };
  return snapshot;
}

/** Counted only while the cluster is being deleted: otherwise each new Machine would change the snapshot. */
function machinesOf(namespace: string, cluster: string | undefined, stores: Stores): number {
  if (cluster === undefined) return 0;
  let count = 0;
  for (const _ of stores.having(machinesByCluster, keyOf({ namespace, name: cluster }))) count++;
  return count;
}
