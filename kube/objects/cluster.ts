import { z } from 'zod';
import { lenientFlag, lenientText, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import type { ClusterSeen } from '../../domain/machine/memory/snapshot.ts';
import { once } from '../once.ts';
import { isLegacyTrue } from './conditions.ts';
import { type Metadata, metadata } from './metadata.ts';

const cluster = z.object({
  metadata,
  spec: orEmpty(
    z.object({ paused: lenientFlag, infrastructureRef: z.object({ name: maybeText }).optional().catch(undefined) }),
  ),
  status: z.record(z.string(), z.unknown()).catch({}),
});

export interface ClusterRead extends ClusterSeen {
  readonly metadata: Metadata;
  /** Name of its Metal3Cluster, '' without one. */
  readonly infrastructure: string;
  /** '' before Cluster API has shown one. */
  readonly phase: string;
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
    phase: lenientText.parse(status['phase']),
  };
});

/** True when the Cluster and all of its objects are paused, by its spec or by annotation. */
export function isClusterPaused(object: unknown): boolean {
  const { paused, metadata } = readCluster(object);
  return paused || isPausedByAnnotation(metadata);
}
