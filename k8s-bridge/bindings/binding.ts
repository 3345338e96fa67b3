import type { ObjectReference } from '../../api/meta/types.ts';
import type { Seen } from '../../domain/entity/seen.ts';
import type { EntityView, Patch, ShownEvent } from '../../domain/entity/view.ts';
import type { Kube } from '../../kube/client.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import type { Json } from '../../kube/merge-patch.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import type { Written } from '../ledger.ts';
import type { BridgeEvent, Reporter } from '../publish/events.ts';
import type { Writable } from '../publish/object.ts';

/** An object that its CRD let in and that we can't read. */
export interface Unreadable {
  readonly problems: readonly string[];
}

/** What the bridge remembers of an object at this moment. */
export interface Known {
  readonly written: Written | undefined;
  /** ms since the epoch. */
  readonly now: number;
}

/** All that the bridge has to know of one kind with a workflow for each of its objects. */
export interface Binding {
  readonly followed: FollowedKind;
  readonly workflowType: string;
  readonly finalizer: string;
  /** Kinds whose objects snapshots are made of, beside the object itself. */
  readonly related: readonly FollowedKind[];
  /** The label of `--watch-filter` does not count for this kind. */
  readonly ignoresWatchFilter?: true;
  /** The reason of the Event on an object that can't be read. */
  readonly unreadableReason: string;
  /** Whose Events they are. */
  readonly reporterOf: (event: Pick<ShownEvent, 'warning'>) => Reporter;
  /**
   * Keys of the objects of this kind whose snapshot an object of a related kind is part of. Called with the related object
   * as it is now and as it was.
   */
  concerned(kind: FollowedKind, related: Entry, stores: Stores): Iterable<string>;
  /** The object and all that its decisions depend on; undefined: it has nothing to do with us. */
  observe(entry: Entry, stores: Stores, known: Known): Seen | Unreadable | undefined;
  /** What of a snapshot is news for a workflow; `resourceVersion` and what only we write are not. */
  essence(snapshot: Seen): unknown;
  /** For a kind that shows more than its workflow knows. */
  readonly complete?: (order: CompleteOrder) => Promise<Completed>;
  /** True when the object shows less than could be shown, so that its workflow is asked. */
  readonly isStale?: (entry: Entry, written: Written, stores: Stores) => boolean;
  /** True while nothing is repaired of the object, whoever changed it. */
  readonly isLeftAlone?: (entry: Entry) => boolean;
  /** Counts for metrics of this kind. */
  readonly tally?: Tally;
}

export interface CompleteOrder {
  readonly view: EntityView;
  /** The object as it is just before it is written. */
  readonly object: Writable;
  readonly written: Written | undefined;
  readonly kube: Kube;
  readonly stores: Pick<Stores, 'get'>;
}

/** What is written beside, or in place of, what the view says. */
export interface Completed {
  /** In place of the view's status; conditions and `lastUpdated` are added. */
  readonly status: Patch;
  /** Merged into the spec. */
  readonly spec?: Patch;
  /** There is nothing to show yet: an object without a status stays so. */
  readonly isBlank: boolean;
  /** Annotations that the status has taken over, removed after it was written. */
  readonly spent: readonly string[];
  /** Of the object as it is after all of that. */
  readonly events: (after: Writable) => readonly BridgeEvent[];
  /** What the binding wants to know of this write later. */
  readonly own: Json;
  /** Who Events are related to. */
  readonly related?: ObjectReference;
}

export interface Tally {
  /** The object is being looked at. */
  looked(entry: Entry): void;
  lookFailed(): void;
  /** This view is in the status now, in place of what the object said before. */
  shown(before: Writable, view: EntityView): void;
  /** This Event was written for the first time. */
  told(view: EntityView, event: ShownEvent): void;
  /** The object of this uid is no more. */
  forgotten(uid: string): void;
}

export const isUnreadable = (answer: Seen | Unreadable): answer is Unreadable => 'problems' in answer;

/** What zod found, a line for each field. */
export const problemsOf = (
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): readonly string[] => issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

/** Of kinds that are Cluster API's. */
export const CLUSTER_API_EVENTS: Pick<Binding, 'reporterOf'> = {
  reporterOf: () => ({ component: 'metal3-controller', controller: 'temper.metal3.io/controller' }),
};
