import type { FollowedKind } from '../../kube/kinds.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import type { OwnObjects } from '../watch/own-objects.ts';

/** A kind whose objects choose hosts. */
export interface Choosing {
  readonly followed: FollowedKind;
  /** The objects of this bridge (`--watch-filter`). */
  readonly machines: OwnObjects;
  /** True when the machine would claim a host after a signal. */
  readonly mayClaim: (machine: Entry, stores: Stores) => boolean;
  /** Queues the object with this key. */
  readonly look: (key: string) => void;
}
