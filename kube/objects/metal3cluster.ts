import { z } from 'zod';
import { lenientFlag, orEmpty } from '../../api/meta/lenient.ts';
import { BOUNDS } from '../../domain/bounds/bounds.ts';
import { isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import type { Metal3ClusterSeen } from '../../domain/machine/memory/snapshot.ts';
import { MACHINE_ANNOTATIONS } from '../../domain/machine/names.ts';
import { byName } from '../by-name.ts';
import { KINDS } from '../kinds.ts';
import { once } from '../once.ts';
import { metadata, ownerOf, readMetadata } from './metadata.ts';

const metal3Cluster = z.object({ metadata, spec: orEmpty({ cloudProviderEnabled: lenientFlag }) });

/** The fields of a Metal3Cluster that its machines use. */
export const readMetal3Cluster = once((object): Metal3ClusterSeen => {
  const { metadata, spec } = metal3Cluster.parse(object);
  const prefixes = metadata.annotations[MACHINE_ANNOTATIONS.labelSyncPrefixes];
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    cloudProvider: spec.cloudProviderEnabled,
    paused: isPausedByAnnotation(metadata),
    // One character more than is read shows that there are too many.
    ...(prefixes !== undefined && { labelSyncPrefixes: prefixes.slice(0, BOUNDS.labelPrefixes.characters + 1) }),
  };
});

/** Metal3Clusters by the Cluster that owns them. */
export const metal3ClustersByOwner = byName(
  KINDS.metal3Cluster,
  (entry) => ownerOf(readMetadata(entry.object), KINDS.cluster)?.name,
);
