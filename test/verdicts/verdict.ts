/** What is asked of the API server: a new object, or the status of one that is there. */
export interface Manifest {
  readonly name: string;
  readonly kind: string;
  readonly part: 'object' | 'status';
  /** JSON as it goes over the wire; text where a JavaScript value would not come out the same, such as 1.0. */
  readonly body: unknown;
  readonly isText?: true;
}

/** What is accepted may become another object by defaults and by leaving out what is unknown. */
export type Verdict =
  | {
      readonly accepted: true;
      readonly becomes: 'as sent' | Readonly<Record<string, unknown>>;
      readonly warnings?: readonly string[];
    }
  | { readonly accepted: false; readonly code: number; readonly causes: readonly Cause[] };

/** The field the API server complains of and the kind of complaint; its wording is not part of the contract. */
export interface Cause {
  readonly field: string;
  readonly reason: string;
}

export interface RecordedVerdict extends Manifest {
  readonly verdict: Verdict;
}
