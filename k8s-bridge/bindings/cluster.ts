import { metal3Cluster } from '../../api/metal3cluster/schema.ts';
import { METAL3_CLUSTER_FINALIZER } from '../../domain/cluster/cluster.ts';
import type { Metal3ClusterSnapshot } from '../../domain/cluster/snapshot.ts';
import { CLUSTER_ANNOTATIONS, CLUSTER_GROUP, isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { KINDS } from '../../kube/kinds.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Binding, Entry, Stores } from '../entities/binding.ts';
import { identityOf } from './identity.ts';
import { clusterOf, conditionsIn, legacyConditionsIn, machineOf, metadataOf, ownerNamed } from './read.ts';

export const clusterBinding: Binding = {
  followed: KINDS.metal3Cluster,
  workflowType: 'metal3ClusterWorkflow',
  finalizer: METAL3_CLUSTER_FINALIZER,
  related: [KINDS.cluster, KINDS.machine],
  concerned: (kind, object, stores) => (kind === null ? [] : onObject(kind, object, stores)),
  observe,
  essence(snapshot) {
    const { status: _, resourceVersion: __, ...seen } = snapshot as Metal3ClusterSnapshot;
    return seen;
  },
};

/** A Machine counts only for a cluster that is going. */
function* onObject(kind: FollowedKind, entry: Entry, stores: Stores): Iterable<string> {
  const name = kind.kind === KINDS.cluster.kind ? entry.name : machineOf(entry).cluster;
  for (const each of stores.values(KINDS.metal3Cluster)) {
    if (each.namespace === entry.namespace && ownerOf(each) === name) yield keyOf(each);
  }
}

const ownerOf = (entry: Entry): string | undefined => ownerNamed(metadataOf(entry), KINDS.cluster.kind, CLUSTER_GROUP);

function observe(entry: Entry, stores: Stores): ReturnType<Binding['observe']> {
  const read = metal3Cluster.safeParse(entry.object);
  if (!read.success) return { problems: read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
  const { metadata, spec, status } = read.data;
  const { namespace } = entry;
  const { annotations = {}, finalizers = [], deletionTimestamp } = metadata;
  const ownerName = ownerOf(entry);
  const found = ownerName === undefined ? undefined : stores.get(KINDS.cluster, keyOf({ namespace, name: ownerName }));
  const owner = found && clusterOf(found);
  const snapshot: Metal3ClusterSnapshot = {
    ...identityOf(metadata),
    paused: isPausedByAnnotation(metadata),
    managedElsewhere: CLUSTER_ANNOTATIONS.managedBy in annotations,
    held: finalizers.includes(METAL3_CLUSTER_FINALIZER),
    spec,
    ...(ownerName !== undefined && { owner: owner ? { name: owner.name, paused: owner.paused } : null }),
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

/** Counted only once it matters: each of them would be news otherwise. */
function machinesOf(namespace: string, cluster: string | undefined, stores: Stores): number {
  if (cluster === undefined) return 0;
  let count = 0;
  for (const machine of stores.values(KINDS.machine)) {
    if (machine.namespace === namespace && machineOf(machine).cluster === cluster) count++;
  }
  return count;
}
