/** Labels, annotations and groups of Cluster API that we read or write. */

export const CLUSTER_GROUP = 'cluster.x-k8s.io';
export const CONTROL_PLANE_GROUP = 'controlplane.cluster.x-k8s.io';

export const CLUSTER_LABELS = {
  clusterName: 'cluster.x-k8s.io/cluster-name',
  controlPlane: 'cluster.x-k8s.io/control-plane',
  /** Selects the controller of an object when several controllers of one kind run. */
  watchFilter: 'cluster.x-k8s.io/watch-filter',
} as const;

export const CLUSTER_ANNOTATIONS = {
  paused: 'cluster.x-k8s.io/paused',
  managedBy: 'cluster.x-k8s.io/managed-by',
  clonedFromName: 'cluster.x-k8s.io/cloned-from-name',
  clonedFromGroupKind: 'cluster.x-k8s.io/cloned-from-groupkind',
  /** clusterctl does not start a move while any object of the move has it. */
  blockMove: 'clusterctl.cluster.x-k8s.io/block-move',
  /**
   * clusterctl has created the object in another cluster and is about to delete it here; all other annotations are
   * removed.
   */
  deleteForMove: 'clusterctl.cluster.x-k8s.io/delete-for-move',
} as const;

interface Metadata {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly deletionTimestamp?: string | undefined;
}

/**
 * The object has moved to another cluster, so its deletion here must have no effect. On an object that is not being
 * deleted the annotation is left over from an interrupted or an earlier move.
 */
export const isMovedAway = ({ annotations, deletionTimestamp }: Metadata): boolean =>
  deletionTimestamp !== undefined && annotations?.[CLUSTER_ANNOTATIONS.deleteForMove] !== undefined;

/** True when the object is paused by its annotation. */
export const isPausedByAnnotation = (metadata: Metadata): boolean =>
  metadata.annotations?.[CLUSTER_ANNOTATIONS.paused] !== undefined || isMovedAway(metadata);

/** The group of an `apiVersion`; '' for the core group. */
export const groupOf = (apiVersion: string | undefined): string => {
  const slash = apiVersion?.indexOf('/') ?? -1;
  return slash < 0 ? '' : (apiVersion ?? '').slice(0, slash);
};
