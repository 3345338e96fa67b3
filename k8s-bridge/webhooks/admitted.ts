/** Why an object is not stored, as the API server passes it on. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  /** Of refusals that name fields. */
  readonly details?: object;
}

export interface Judgement {
  /** undefined: the object passes. */
  readonly refusal?: Refusal | undefined;
  /** What whoever writes the object is told in any case. */
  readonly warnings?: readonly string[] | undefined;
}

interface Registered {
  readonly kind: string;
  /** Name of the webhook; refusals begin with it. */
  readonly webhook: string;
  readonly path: string;
}

/** A kind whose objects are judged before the API server stores them. */
export interface AdmittedKind extends Registered {
  /** Of a new object (`before` undefined) or of a change. Throws what can't be read as this kind. */
  judge(before: unknown, after: unknown): Judgement;
}

/** A kind whose objects are given what they leave out, before they are looked at any further. */
export interface DefaultedKind extends Registered {
  /** The whole spec as it should be; undefined when it is. */
  defaults(object: unknown): unknown;
}

/** The API server sent an object that is not what our schema takes for one of this kind. */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject';
}
