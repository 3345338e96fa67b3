/** Words of Cluster API that we read or write on its objects and ours. */

export const CLUSTER_GROUP = 'cluster.x-k8s.io';
export const CONTROL_PLANE_GROUP = 'controlplane.cluster.x-k8s.io';

export const CLUSTER_LABELS = {
  clusterName: 'cluster.x-k8s.io/cluster-name',
  controlPlane: 'cluster.x-k8s.io/control-plane',
  /** With several controllers of one kind, which of them looks after an object. */
  watchFilter: 'cluster.x-k8s.io/watch-filter',
} as const;

export const CLUSTER_ANNOTATIONS = {
  paused: 'cluster.x-k8s.io/paused',
  managedBy: 'cluster.x-k8s.io/managed-by',
  clonedFromName: 'cluster.x-k8s.io/cloned-from-name',
  clonedFromGroupKind: 'cluster.x-k8s.io/cloned-from-groupkind',
  /** clusterctl moves nothing as long as any object that it is to move has it. */
  blockMove: 'clusterctl.cluster.x-k8s.io/block-move',
  /** clusterctl has made the object anew in another cluster and is about to take it away here: all other annotations are gone. */
  deleteForMove: 'clusterctl.cluster.x-k8s.io/delete-for-move',
} as const;

interface Metadata {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly deletionTimestamp?: string | undefined;
}

/**
 * The object lives on in another cluster: its deletion here means nothing. Where it is not deleted the annotation was
 * left behind by a move that was broken off, or came along with the next one.
 */
export const isMovedAway = ({ annotations, deletionTimestamp }: Metadata): boolean =>
  deletionTimestamp !== undefined && annotations?.[CLUSTER_ANNOTATIONS.deleteForMove] !== undefined;

/** Nothing is to be done about the object. */
export const isPausedByAnnotation = (metadata: Metadata): boolean =>
  metadata.annotations?.[CLUSTER_ANNOTATIONS.paused] !== undefined || isMovedAway(metadata);

/** The group in an `apiVersion`; '' for the core group. */
export const groupOf = (apiVersion: string | undefined): string => {
  const slash = apiVersion?.indexOf('/') ?? -1;
  return slash < 0 ? '' : (apiVersion ?? '').slice(0, slash);
};
