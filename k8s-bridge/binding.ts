import type { EntityKind } from '../api/kind.ts';
import type { ObjectReference } from '../api/meta/references.ts';
import type { Seen } from '../domain/entity/seen.ts';
import type { EntityView, Patch, ShownEvent } from '../domain/entity/view.ts';
import type { Kube } from '../kube/client.ts';
import type { FollowedKind } from '../kube/kinds.ts';
import type { Json } from '../kube/merge-patch.ts';
import type { Writable } from '../kube/objects/any-object.ts';
import type { Entry, Stores } from '../kube/store.ts';
import type { Written } from './ledger.ts';

/** An object that the CRD allows but that we can't read. */
export interface Unreadable {
  readonly problems: readonly string[];
}

/** What the bridge knows about an object besides the caches. */
export interface Known {
  readonly written: Written | undefined;
  /** ms since the epoch. */
  readonly now: number;
  readonly unwritten?: Unwritten;
}

/** What a policy forbids to write on an object, and what its workflow must know nevertheless. */
export interface Unwritten {
  /** null: the object has the annotation, and should not. */
  readonly annotations: Readonly<Record<string, string | null>>;
  /** Message of the policy. */
  readonly refusal: string;
}

/** An object whose workflow ends with this view. */
export interface LeaveOrder {
  readonly object: Writable;
  readonly view: Pick<EntityView, 'shown'>;
  readonly stores: Pick<Stores, 'having'>;
  readonly kube: Kube;
}

/** The parts of the bridge that differ for each kind with workflows. */
export interface Binding {
  readonly followed: EntityKind;
  readonly finalizer: string;
  /** Other kinds whose objects are part of the snapshot. */
  readonly related: readonly FollowedKind[];
  /** The same for kinds that may be listed later than objects of this kind are reconciled. */
  readonly relatedLater?: readonly FollowedKind[];
  /** A snapshot has the work for many objects of other kinds, up to a bound. */
  readonly isOfMany?: true;
  /** `--watch-filter` does not apply to this kind. */
  readonly ignoresWatchFilter?: true;
  /** The reason of the Event on an object that can't be read. */
  readonly unreadableReason: string;
  /** The reporter of an Event. */
  readonly reporterOf: (event: Pick<ShownEvent, 'reason'>) => Reporter;
  /**
   * Keys of the objects of this kind whose snapshot contains something of a related object. Called with the related
   * object before and after the change.
   */
  concerned(kind: FollowedKind, related: Entry, stores: Stores): Iterable<string>;
  /** The snapshot: the object and everything that its decisions depend on; undefined: the object is not ours. */
  observe(entry: Entry, stores: Stores, known: Known): Seen | Unreadable | undefined;
  /** The part of the snapshot whose change is signalled; without `resourceVersion` and fields that only we write. */
  essence(snapshot: Seen): unknown;
  /** Completes the view, for a kind whose status has fields that its workflow does not know. */
  readonly complete?: (order: CompleteOrder) => Promise<Completed>;
  /** True when the object lacks something that the view, or the binding, could add now. */
  readonly isStale?: (entry: Entry, written: Written, stores: Stores) => boolean;
  /** True when the object shows more progress than the view of a run whose last write is not known. */
  readonly isOutdated?: (view: EntityView, object: unknown, now: number) => boolean;
  /** Why the finalizer must stay for now although the workflow ends. */
  readonly hindranceToLeave?: (order: LeaveOrder) => Promise<string | undefined>;
  /** True: changes of other writers to the object are not repaired. */
  readonly isLeftAlone?: (entry: Entry) => boolean;
  /**
   * Writes what the bridge itself adds to the object, besides the view. `written`: the newer object follows. undefined:
   * nothing is missing, or the write is refused.
   */
  readonly note?: (entry: Entry) => Promise<'written' | undefined>;
  /**
   * Writes what must be on the object before its workflow learns of it. `written`: the newer object follows. undefined:
   * nothing is missing.
   */
  readonly completeFirst?: (entry: Entry) => Promise<'written' | Unwritten | undefined>;
  /** Counts for metrics of this kind. */
  readonly tally?: Tally;
}

export interface CompleteOrder {
  readonly view: EntityView;
  /** The object just before the write. */
  readonly object: Writable;
  readonly written: Written | undefined;
  readonly kube: Kube;
  readonly stores: Pick<Stores, 'get'>;
}

/** Replaces or completes the view for the write. */
export interface Completed {
  /** Replaces the view's status; conditions and `lastUpdated` are added. */
  readonly status: Patch;
  /** Written before the status, for a kind whose objects show something before their first state. */
  readonly firstStatus?: Patch;
  /** Merged into the spec. */
  readonly spec?: Patch;
  /** Merged into the annotations, before the status is written. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** There is nothing to show yet: an object without a status gets none. */
  readonly isBlank?: boolean;
  /** Annotations that are now part of the status; removed after the status was written. */
  readonly spent?: readonly string[];
  /** Events of the written object. */
  readonly events?: (after: Writable) => readonly BridgeEvent[];
  /** What the binding stores in the ledger for this write. */
  readonly own?: Json;
  /** The `related` object of the Events. */
  readonly related?: ObjectReference;
}

/** Counts the failure of this work. */
export const countingFailure = <T>({ tally }: Pick<Binding, 'tally'>, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    tally?.lookFailed();
    throw error;
  });

export interface Tally {
  /** The object is reconciled. */
  looked(entry: Entry): void;
  lookFailed(): void;
  /** This view was written to the status; `before` is the object before that. */
  shown(before: Writable, view: EntityView): void;
  /** This Event was created. */
  told(view: EntityView, event: ShownEvent): void;
  /** The object was deleted; `last` is how it was. */
  forgotten(last: Entry): void;
}

export const isUnreadable = (answer: Seen | Unreadable): answer is Unreadable => 'problems' in answer;

/** zod's issues, one text for each field. */
export const zodProblems = (
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): readonly string[] => issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

/** What a binding needs whose objects are reconciled again after a time. */
export interface ReconcilingLater {
  readonly stores: Stores;
  /** Reconciles the object after this time (ms). */
  readonly lookLater: (kind: string, key: string, inMs: number) => void;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Reporter of the Events of Cluster API's kinds. */
export const CLUSTER_API_EVENTS: Pick<Binding, 'reporterOf'> = {
  reporterOf: () => ({ component: 'metal3-controller', controller: 'temper.metal3.io/controller' }),
};

/** Reporter of the Events of the Machine API's kinds. */
export const MACHINE_API_EVENTS: Pick<Binding, 'reporterOf'> = {
  reporterOf: () => ({ component: 'baremetal-controller', controller: 'temper.metal3.io/controller' }),
};

/** An Event with its type. */
export interface BridgeEvent {
  /** Unique for one uid (and run): makes writing the Event idempotent. */
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  readonly type: 'Normal' | 'Warning';
  /** The view marked it as a warning, which also changes the reporter. */
  readonly warning?: true;
}

/** The source of an Event, in the fields of both Event APIs. */
export interface Reporter {
  readonly component: string;
  readonly controller: string;
}
