/** A metav1 condition without the fields that are added when it is written: its time and observedGeneration. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
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
  /** Why the workflow waits, in words; '' while it is busy. */
  readonly waitingFor: string;
}
