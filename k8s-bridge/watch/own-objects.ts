import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import type { Binding } from '../binding.ts';

/**
 * The objects of one kind that this bridge reconciles; any other is ignored, but may be part of the snapshots of
 * others.
 */
export interface OwnObjects {
  get(key: string): Entry | undefined;
  values(): Iterable<Entry>;
  has(entry: Entry | undefined): entry is Entry;
}

/** `watchFilter` is `--watch-filter` of Cluster API's controllers: only objects with that label; '': all objects. */
export function ownObjects(
  { followed, ignoresWatchFilter }: { readonly followed: FollowedKind } & Pick<Binding, 'ignoresWatchFilter'>,
  stores: Stores,
  watchFilter: string,
): OwnObjects {
  const isAll = watchFilter === '' || ignoresWatchFilter === true;
  const has = (entry: Entry | undefined): entry is Entry =>
    entry !== undefined && (isAll || readMetadata(entry.object).labels[CLUSTER_LABELS.watchFilter] === watchFilter);
  return {
    has,
    get(key) {
      const entry = stores.get(followed, key);
      return has(entry) ? entry : undefined;
    },
    *values() {
      for (const entry of stores.values(followed)) if (has(entry)) yield entry;
    },
  };
}
