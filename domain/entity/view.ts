/** A condition as metav1 has it, less what is added when it is written: its time and the generation it speaks of. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** A condition in the older style of Cluster API (contract v1beta1), less its time. */
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
 * What an object is to show, as its entity says. At most 8 kB, but for a Metal3DataTemplate: its status has to list who
 * has which index, some 60 bytes for each claim, of 512 at most.
 */
export interface Shown {
  /** The object must not vanish: our finalizer is put on it. Absent: it is left on or off, as it is. */
  readonly finalizer?: true;
  /** Merged into the object's own. */
  readonly annotations?: Readonly<Record<string, string | null>>;
  /** Merged into the spec: fields that the controller fills in for the user. */
  readonly spec?: Patch;
  /** The whole status but for conditions and `lastUpdated`; absent: the kind's status is left alone. */
  readonly status?: Patch;
  /** Those of `status.conditions`; conditions of other types there are kept. */
  readonly conditions?: readonly Condition[];
  /** Those of `status.deprecated.v1beta1.conditions`; none of other types are kept. */
  readonly legacyConditions?: readonly LegacyCondition[];
  /** `status.lastUpdated` moves with each change of the status. */
  readonly timed?: true;
}

/** What a workflow hands to the bridge, and what it answers to a query. */
export interface EntityView extends Shown {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Of the object that this takes into account. */
  readonly generation: number;
  /** Nothing more is done for it: our finalizer goes, and whatever becomes of it is not told any more. */
  readonly leaving?: true;
  /** The first run of the workflow's chain of runs: revisions of another one can't be compared. */
  readonly run: string;
  /** Grows with each change of what is shown, from run to run of one chain. */
  readonly revision: number;
  /** Why it waits, in words, for people; '' while it is busy. */
  readonly waitingFor: string;
}
