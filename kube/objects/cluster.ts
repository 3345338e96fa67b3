import { z } from 'zod';
import { lenientFlag, maybe, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { CLUSTER_GROUP, groupOf, isMovedAway, isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import type { HostFacts } from '../../domain/machine/choose-host/host-facts.ts';
import type { ClusterSeen } from '../../domain/machine/memory/snapshot.ts';
import type { Find } from '../gather.ts';
import { KINDS } from '../kinds.ts';
import { once } from '../once.ts';
import { isLegacyTrue } from './conditions.ts';
import { type Metadata, metadata } from './metadata.ts';

const cluster = z.object({
  metadata,
  spec: orEmpty({ paused: lenientFlag, infrastructureRef: maybe(z.object({ name: maybeText })) }),
  status: z.record(z.string(), z.unknown()).catch({}),
});

export interface ClusterRead extends ClusterSeen {
  readonly metadata: Metadata;
  /** Name of its Metal3Cluster, '' without one. */
  readonly infrastructure: string;
}

/** A Cluster of Cluster API. `paused` is what its spec says. */
export const readCluster = once((object): ClusterRead => {
  const { metadata, spec, status } = cluster.parse(object);
  return {
    metadata,
    namespace: metadata.namespace,
    name: metadata.name,
    paused: spec.paused,
    deleting: metadata.deletionTimestamp !== undefined,
    infrastructureReady: isLegacyTrue(status, 'InfrastructureReady'),
    infrastructure: spec.infrastructureRef?.name ?? '',
  };
});

/** True when the Cluster and all of its objects are paused, by its spec or by annotation. */
export function isClusterPaused(object: unknown): boolean {
  const { paused, metadata } = readCluster(object);
  return paused || isPausedByAnnotation(metadata);
}

/**
 * True when the host is reserved for machines of a Cluster that is deleted or being deleted: no machine will claim it.
 */
export function isAbandoned({ consumer, namespace }: HostFacts, find: Find): boolean {
  if (consumer?.kind !== KINDS.cluster.kind || groupOf(consumer.apiVersion) !== CLUSTER_GROUP) return false;
  // Clusters of other namespaces may be unknown here.
  if ((consumer.namespace ?? namespace) !== namespace) return false;
  const found = find(KINDS.cluster, { namespace, name: consumer.name ?? '' });
  if (found === undefined) return true;
  const { deleting, metadata } = readCluster(found);
  return deleting && !isMovedAway(metadata);
}
