import { type FollowedKind, isSameKind } from '../../kube/kinds.ts';
import type { Change, Entry, Stores } from '../../kube/store.ts';
import type { Binding } from '../binding.ts';
import type { OwnObjects } from './own-objects.ts';

export interface Enqueued {
  readonly binding: Binding;
  readonly own: OwnObjects;
  /** False until the kind and all related kinds are listed: before that, every object would look new. */
  readonly isReady: () => boolean;
  /** Queues the object. */
  readonly look: (key: string) => void;
  /** The object was deleted, or does not match the watch filter any more; it is queued too. */
  readonly vanished: (last: Entry) => void;
}

/** Queues the objects that a change concerns: the object itself, and those whose snapshot contains something of it. */
export function enqueueChanges(
  { binding, own, isReady, look, vanished }: Enqueued,
  stores: Stores,
): (change: Change) => void {
  const kinds = [...binding.related, ...(binding.relatedLater ?? [])];
  const concerns = (kind: FollowedKind): boolean => kinds.some((related) => isSameKind(related, kind));
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
