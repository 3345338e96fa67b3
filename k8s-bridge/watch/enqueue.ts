import { type FollowedKind, isSameKind } from '../../kube/kinds.ts';
import type { Change, Entry, Stores } from '../../kube/store.ts';
import type { Binding } from '../bindings/binding.ts';
import type { OwnObjects } from './looked-after.ts';

export interface Enqueued {
  readonly binding: Binding;
  readonly own: OwnObjects;
  /** False until all that the kind depends on is listed: before, everything would look new. */
  readonly isReady: () => boolean;
  /** The object is to be looked at. */
  readonly look: (key: string) => void;
  /** The object is no more, or no longer ours; it is to be looked at, too. */
  readonly vanished: (last: Entry) => void;
}

/** Which objects are to be looked at because of a change: the object itself, and those whose snapshot it is part of. */
export function enqueueChanges(
  { binding, own, isReady, look, vanished }: Enqueued,
  stores: Stores,
): (change: Change) => void {
  const concerns = (kind: FollowedKind): boolean => binding.related.some((related) => isSameKind(related, kind));
  return ({ kind, key, now, before }) => {
    if (!isReady()) return;
    if (isSameKind(kind, binding.followed)) {
      if (own.has(before) && !(own.has(now) && now.uid === before.uid)) vanished(before);
      look(key);
    }
    if (!concerns(kind)) return;
    for (const related of [now, before]) {
      if (related !== undefined) for (const each of binding.concerned(kind, related, stores)) look(each);
    }
  };
}
