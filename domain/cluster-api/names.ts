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

type Annotations = Readonly<Record<string, string>> | undefined;

/** The object lives on in another cluster: its deletion here means nothing. */
export const isMovedAway = (annotations: Annotations): boolean =>
  annotations?.[CLUSTER_ANNOTATIONS.deleteForMove] !== undefined;

/** Nothing is to be done about the object. */
export const isPausedByAnnotation = (annotations: Annotations): boolean =>
  annotations?.[CLUSTER_ANNOTATIONS.paused] !== undefined || isMovedAway(annotations);

/** The group in an `apiVersion`; '' for the core group. */
export const groupOf = (apiVersion: string | undefined): string => {
  const slash = apiVersion?.indexOf('/') ?? -1;
  return slash < 0 ? '' : (apiVersion ?? '').slice(0, slash);
};
