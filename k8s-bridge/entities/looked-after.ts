import { z } from 'zod';
import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { once } from '../../kube/once.ts';
import type { Entry, Stores } from './binding.ts';

const labelled = z.object({ metadata: z.object({ labels: z.record(z.string(), z.unknown()).catch({}) }) });
const labelsOf = once((object) => labelled.parse(object).metadata.labels);

/** Whether an object is ours to look after: `--watch-filter` of Cluster API's controllers. Without a value every object is. */
export type IsLookedAfter = (entry: Entry) => boolean;

export const lookedAfterBy =
  (watchFilter: string): IsLookedAfter =>
  ({ object }) =>
    watchFilter === '' || labelsOf(object)[CLUSTER_LABELS.watchFilter] === watchFilter;

/** The objects of one kind that are looked after; others are as good as gone, although related ones may be looked at. */
export interface OwnObjects {
  get(key: string): Entry | undefined;
  values(): Iterable<Entry>;
}

export const ownObjects = (kind: FollowedKind, stores: Stores, isLookedAfter: IsLookedAfter): OwnObjects => ({
  get(key) {
    const entry = stores.get(kind, key);
    return entry !== undefined && isLookedAfter(entry) ? entry : undefined;
  },
  values: () => [...stores.values(kind)].filter(isLookedAfter),
});
