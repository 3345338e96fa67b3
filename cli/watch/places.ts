import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { CALLED_KINDS } from '../called-kinds.ts';
import type { WatchRequest } from './options.ts';

/** Objects that are watched together. */
export interface WatchPlace {
  readonly kind: FollowedKind;
  /** Absent: all, or those with the labels. */
  readonly name?: string;
  readonly labelSelector?: string;
}

/** The machines of a cluster and their hosts have its name as a label. */
export function placesOf({
  kind,
  names,
  selector,
}: Pick<WatchRequest, 'kind' | 'names' | 'selector'>): readonly WatchPlace[] {
  const watched = CALLED_KINDS[kind];
  const labels = selector === undefined ? {} : { labelSelector: selector };
  const chosen = names.length === 0 ? [{ kind: watched, ...labels }] : names.map((name) => ({ kind: watched, name }));
  if (kind !== 'cluster' || selector !== undefined) return chosen;
  const labelSelector =
    names.length === 0 ? CLUSTER_LABELS.clusterName : `${CLUSTER_LABELS.clusterName} in (${names.join()})`;
  return [...chosen, { kind: KINDS.metal3Machine, labelSelector }, { kind: KINDS.host, labelSelector }];
}
