/** The request to the API server: a new object, or the status of an existing one. */
export interface Manifest {
  readonly name: string;
  readonly kind: string;
  readonly part: 'object' | 'status';
  /** JSON as it is sent; a text where a JavaScript value would be changed, such as 1.0. */
  readonly body: unknown;
  readonly isText?: true;
}

/** An accepted object may be changed by defaults and by dropping unknown fields. */
export type Verdict =
  | {
      readonly accepted: true;
      readonly becomes: 'as sent' | Readonly<Record<string, unknown>>;
      readonly warnings?: readonly string[];
    }
  | { readonly accepted: false; readonly code: number; readonly causes: readonly Cause[] };

/** The field and the kind of the API server's complaint; its wording is not part of the contract. */
export interface Cause {
  readonly field: string;
  readonly reason: string;
}

export interface RecordedVerdict extends Manifest {
  readonly verdict: Verdict;
}
