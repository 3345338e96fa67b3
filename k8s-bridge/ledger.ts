import type { Order } from '../domain/entity/order.ts';
import type { Json } from '../kube/merge-patch.ts';

/** What was written of an object last. */
export interface Written {
  /** The first run of the workflow whose view it was. */
  readonly run: string;
  readonly revision: number;
  /** When the workflow came to this revision, by the clock of Temporal; ms. */
  readonly viewAt: number;
  /** When it was written, by our clock; ms. */
  readonly at: number;
  /** Of the object after the last write. */
  readonly resourceVersion: string;
  /** Digest of the status. */
  readonly status: string;
  /** It should have our finalizer. */
  readonly held: boolean;
  /** We let it go: whatever happens to it now, a workflow started for it would find nothing to do. */
  readonly letGo: boolean;
  /** What the binding of its kind booked. */
  readonly own: Json;
}

export interface Signalled {
  /** Digest of what the snapshot says. */
  readonly essence: string;
  readonly order: Order;
  /** ms since the epoch. */
  readonly at: number;
  /** A view came since that takes it into account. */
  readonly heard: boolean;
}

/** What the bridge remembers of one object. All of it can be found out again by asking its workflow. */
export interface Remembered {
  /** The last signal of a snapshot; undefined: nobody knows what its workflow knows. */
  signalled: Signalled | undefined;
  /** Its run is in the past: the next signal tells it to begin anew. */
  anew: boolean;
  written: Written | undefined;
  /** Writes under way. */
  writing: number;
  /** It changed while it was written to. */
  overlooked: boolean;
  /** What people were told last about it: that it can't be read, or that a write was refused. */
  complaint: string;
  /** The last observation of its node that was signalled, as a digest. */
  nodeSignalled: string;
  /** Its workflow task kept failing when it was last looked at. */
  failing: boolean;
}

/** By uid. An object that is gone is forgotten. */
export interface Ledger {
  /** Begins to remember. */
  of(uid: string): Remembered;
  find(uid: string): Remembered | undefined;
  forget(uid: string): void;
  /** Nobody knows any more what workflows were signalled. */
  forgetSignals(): void;
  entries(): Iterable<readonly [string, Remembered]>;
  readonly size: number;
}

export function createLedger(): Ledger {
  const known = new Map<string, Remembered>();
  return {
    of(uid) {
      const found = known.get(uid);
      if (found !== undefined) return found;
      const made: Remembered = {
        signalled: undefined,
        anew: false,
        written: undefined,
        writing: 0,
        overlooked: false,
        complaint: '',
        nodeSignalled: '',
        failing: false,
      };
      known.set(uid, made);
      return made;
    },
    find: (uid) => known.get(uid),
    forget: (uid) => void known.delete(uid),
    forgetSignals() {
      for (const each of known.values()) each.signalled = undefined;
    },
    entries: () => known.entries(),
    get size() {
      return known.size;
    },
  };
}
