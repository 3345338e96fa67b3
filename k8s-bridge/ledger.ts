import { ageOf } from '../domain/clock.ts';
import type { Order } from '../domain/entity/order.ts';
import type { Json } from '../kube/merge-patch.ts';
import { isOlderVersion } from '../kube/reflector.ts';

/** The last write of an object. */
export interface Written {
  /** First run of the workflow that published the view. */
  readonly run: string;
  readonly revision: number;
  /** Time of the view's revision, by Temporal's clock; ms. */
  readonly viewAt: number;
  /** Time of the write, by our clock; ms. */
  readonly at: number;
  /** Version of the object after the write. */
  readonly resourceVersion: string;
  /** Digest of the status. */
  readonly status: string;
  /** The object should have our finalizer. */
  readonly held: boolean;
  /** We removed our finalizer: a workflow that is started for it now would have nothing to do. */
  readonly letGo: boolean;
  /** What the kind's binding stored. */
  readonly own: Json;
}

export interface Signalled {
  /** Digest of the snapshot's essence. */
  readonly essence: string;
  readonly order: Order;
  /** The run that got the signal; absent when the run had the snapshot from another bridge. */
  readonly runId?: string;
}

/** The power of a host at rest, at one list of Ironic's nodes. */
export interface PowerSeen {
  /** When Ironic last began to switch the server, as Ironic writes it; '' when it never did. */
  readonly changedAt: string;
  /** First run and revision of the last view that was written before. */
  readonly run: string;
  readonly revision: number;
}

/** What the bridge remembers of one object. All of it can be rebuilt by querying the workflow. */
export interface Remembered {
  /** The last signalled snapshot; undefined: unknown, so the next snapshot is signalled in any case. */
  signalled: Signalled | undefined;
  /**
   * Set when the run knows less than its object shows: the next signal has `anew`. `reset` is that field of the run's
   * view.
   */
  anew: { readonly reset?: string } | undefined;
  /** The order of the snapshot with `anew`, from just before it is sent until a view is based on it. */
  anewFrom: Order | undefined;
  /** Why the last snapshot leaves the object to another operator; undefined: it does not. */
  leftAlone: string | undefined;
  /** When its run last had to begin anew because its view had invalid values; ms. */
  invalidAt: number | undefined;
  written: Written | undefined;
  /** The last generation that our own write of the spec alone has raised. */
  raised: { readonly from: number; readonly to: number } | undefined;
  /** Running writes. */
  writing: number;
  /** The object changed during a write. */
  overlooked: boolean;
  /** The last problem that was reported in an Event: the object can't be read, or a write was refused. */
  complaint: string;
  /** Digest of the last signalled observation of its node. */
  nodeSignalled: string;
  /** The state in which its run was told that it is stuck, and since when; '' when it was not. */
  stuckSignalled: string;
  /** The host's power in the last list of Ironic's nodes in which it was at rest. */
  powerSeen: PowerSeen | undefined;
  /** Why the workflow task kept failing at the last check; '' when it did not. */
  failing: string;
  /** That somebody has paused its run, or that of an operation, in Temporal; '' when nobody has. */
  paused: string;
}

/** Memory by uid; deleted objects are forgotten. */
export interface Ledger {
  /** Adds an entry if there is none. */
  of(uid: string): Remembered;
  find(uid: string): Remembered | undefined;
  forget(uid: string): void;
  /** Forgets what was signalled, so that every snapshot, and every stuck host, is signalled again. */
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
        anew: undefined,
        anewFrom: undefined,
        leftAlone: undefined,
        invalidAt: undefined,
        written: undefined,
        raised: undefined,
        writing: 0,
        overlooked: false,
        complaint: '',
        nodeSignalled: '',
        stuckSignalled: '',
        powerSeen: undefined,
        failing: '',
        paused: '',
      };
      known.set(uid, made);
      return made;
    },
    find: (uid) => known.get(uid),
    forget: (uid) => void known.delete(uid),
    forgetSignals() {
      for (const each of known.values()) {
        each.signalled = undefined;
        each.stuckSignalled = '';
      }
    },
    entries: () => known.entries(),
    get size() {
      return known.size;
    },
  };
}

/**
 * Maximum delay (ms) of the watch after our write. An older version after that means that the API server was restored
 * from a backup.
 */
export const ECHO_MS = 10_000;

/** True while the watch has not delivered our last write. */
export const awaitsEcho = (
  { resourceVersion }: { readonly resourceVersion: string },
  written: Pick<Written, 'resourceVersion' | 'at'> | undefined,
  now: number,
): boolean =>
  written !== undefined && ageOf(written.at, now) < ECHO_MS && isOlderVersion(resourceVersion, written.resourceVersion);
