import type { Order } from './order.ts';

/** A condition as metav1 has it, less what is added when it is written: its time and the generation it speaks of. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Written only to an object that has no condition of this type yet. */
  readonly unlessKnown?: true;
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
  /** The state that the object is in, for kinds whose states are shown one by one: none is left before it was shown. */
  readonly state?: string;
  /** Events that are not recorded yet. */
  readonly events?: readonly ShownEvent[];
  /** What only the binding of this kind knows how to write; plain JSON. */
  readonly ofKind?: Readonly<Record<string, unknown>>;
}

/** An Event of Kubernetes that the object is to have. */
export interface ShownEvent {
  /** Unique in the life of one uid: makes writing the Event idempotent. */
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  /** Of type Warning; all others are Normal. */
  readonly warning?: true;
}

/** A request that keeps failing and is tried again and again. */
export interface Retrying {
  /** What is tried, in words. */
  readonly what: string;
  /** RFC 3339. */
  readonly since: string;
  readonly attempts: number;
  /** What the other side answered last. */
  readonly answer: string;
}

/** The view that a workflow publishes and returns to a query. */
export interface EntityView extends Shown {
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
  /** Grows with each change of the view, across continue-as-new. */
  readonly revision: number;
  /**
   * When it came to this revision, by the clock of Temporal; ms. Of two views the one with the later time is newer, whatever
   * their revisions: a run that was reset counts on from where it was reset to.
   */
  readonly at: number;
  /** Of the last snapshot that the run took in: a bridge with an earlier epoch takes a greater one and sends again. */
  readonly order: Order;
  /** Why it waits, in words, for people; '' while it is busy. */
  readonly waitingFor: string;
  /** RFC 3339: when it goes on by itself, if it waits for a moment. */
  readonly until?: string;
  /** Present after three attempts at one request. */
  readonly retrying?: Retrying;
}
