import type { Order } from './order.ts';

/** A condition as in metav1; its time and `observedGeneration` are added when it is written. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Written only to objects without a condition of this type. */
  readonly unlessKnown?: true;
  /** The object's own generation is not reached yet: the condition keeps the one that it has. */
  readonly keepsGeneration?: true;
}

/** A condition in the style of Cluster API's v1beta1 contract, without its time. */
export interface LegacyCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly severity?: 'Error' | 'Warning' | 'Info' | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** A JSON merge patch: null removes. */
export type Patch = Readonly<Record<string, unknown>>;

/**
 * What an object should show. At most 8 kB, except for a Metal3DataTemplate: its status lists the claims with their
 * indexes, about 60 bytes for each of at most 512.
 */
export interface Shown {
  /** Adds our finalizer. When absent, the finalizer is neither added nor removed. */
  readonly finalizer?: true;
  /** Merged into the object's annotations. */
  readonly annotations?: Readonly<Record<string, string | null>>;
  /** The name of the retry that the run has taken: `annotations` remove no other one. */
  readonly retryTaken?: string;
  /** Merged into the spec: fields that the controller sets. */
  readonly spec?: Patch;
  /** The whole status except conditions and `lastUpdated`. When absent, the status is not changed. */
  readonly status?: Patch;
  /** Entries of `status.conditions`; conditions of other types are kept. */
  readonly conditions?: readonly Condition[];
  /** Entries of `status.deprecated.v1beta1.conditions`; other types are removed. */
  readonly legacyConditions?: readonly LegacyCondition[];
  /** `status.lastUpdated` is set at each change of the status. */
  readonly timed?: true;
  /** The object's state, for kinds whose states are all shown: a state is published before it is left. */
  readonly state?: string;
  /** Events that are not recorded yet. */
  readonly events?: readonly ShownEvent[];
  /** Fields that only the kind's binding can write; plain JSON. */
  readonly ofKind?: Readonly<Record<string, unknown>>;
}

/** An Event to create. */
export interface ShownEvent {
  /** Unique in the life of one uid: makes writing the Event idempotent. */
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  /** Of type Warning; all others are Normal. */
  readonly warning?: true;
  /** RFC 3339: when the task began that ended with this. */
  readonly began?: string;
  /** How long that task took. */
  readonly tookMs?: number;
  /** Why that task was cancelled: the list of operations on the object has it instead of the message. */
  readonly why?: string;
  /** No Event is created: only the list of operations on the object has it. */
  readonly onlyListed?: true;
}

/** A request that has failed at least three times and is retried. */
export interface Retrying {
  /** The request, in words. */
  readonly what: string;
  /** RFC 3339. */
  readonly since: string;
  readonly attempts: number;
  /** The other side's last answer. */
  readonly answer: string;
}

/** The view that a workflow publishes and returns to a query: what the object should show, in an envelope. */
export interface EntityView extends Envelope {
  readonly shown: Shown;
}

/** Of which object and run a view is, which view of them, and what else the bridge is to know. */
export interface Envelope {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Generation of the object that this view is based on. */
  readonly generation: number;
  /** The workflow is about to end: the bridge removes our finalizer and sends no more snapshots. */
  readonly leaving?: true;
  /** Id of the first run of the workflow's chain. Revisions of different chains cannot be compared. */
  readonly run: string;
  /**
   * Id of this run, if it was reset and has not begun again from the object since. Its knowledge is outdated and never
   * written.
   */
  readonly reset?: string;
  /** Grows with each change of the view, across continue-as-new. */
  readonly revision: number;
  /**
   * Time of this revision, by Temporal's clock; ms. The view with the later time is newer, whatever the revisions are:
   * a reset run counts on from an old revision.
   */
  readonly at: number;
  /**
   * Order of the last snapshot that the run took in. A bridge with a lower epoch raises its epoch and sends the
   * snapshot again.
   */
  readonly order: Order;
  /** Version of the object in that snapshot, or after a later write by the run itself. */
  readonly resourceVersion?: string;
  /** When the bridge wrote the last view; absent before the first. By the bridge's clock; ms. */
  readonly shownAt?: number;
  /** The state in the last view that the bridge answered. */
  readonly shownState?: string;
  /** The run knows less than the object shows, as described here: it does nothing before a snapshot with `anew`. */
  readonly behind?: string;
  /** Why it waits, in words, for people; '' while it is busy. */
  readonly waitingFor: string;
  /** RFC 3339: the end of a wait for a time. */
  readonly until?: string;
  /** Present after three attempts at one request. */
  readonly retrying?: Retrying;
}
