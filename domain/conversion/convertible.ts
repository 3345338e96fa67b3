import { withoutEmpty } from './given.ts';

/** An object of one version of a kind, as far as conversion reads it. */
export interface Convertible<Spec = unknown, Status = unknown> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: Readonly<Record<string, unknown>> & {
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Spec;
  readonly status?: Status;
}

/** Converts one kind between its older version and the stored one, the hub. */
export interface Conversion {
  /** Throws `Inconvertible`. */
  readonly toHub: (object: Convertible) => Convertible;
  readonly fromHub: (object: Convertible) => Convertible;
}

/** The object has a value that the other version cannot express; the message says why. */
export class Inconvertible extends Error {
  override readonly name = 'Inconvertible';
}

interface Parts<Old, OldStatus, New, NewStatus> {
  readonly specToHub: (spec: Old) => New;
  readonly specFromHub: (spec: New) => Old;
  /** Undefined: none, because it would be empty. */
  readonly statusToHub?: (status: OldStatus) => NewStatus | undefined;
  readonly statusFromHub?: (status: NewStatus) => OldStatus;
  /** An object without a spec is not valid; in other kinds it has an empty one. */
  readonly specIsRequired?: true;
}

/**
 * The conversion of a kind whose spec and status are converted independently; the rest of the object is the same in
 * both versions.
 */
export function conversion<Old, OldStatus, New, NewStatus>(
  parts: Parts<Old, OldStatus, New, NewStatus>,
): {
  readonly toHub: (object: Convertible) => Convertible<New, NewStatus>;
  readonly fromHub: (object: Convertible) => Convertible<Old, OldStatus>;
} {
  const { specToHub, specFromHub, statusToHub, statusFromHub, specIsRequired } = parts;
  const whole = (object: Convertible): Convertible =>
    specIsRequired ? object : { ...object, spec: object.spec ?? {} };
  return {
    toHub: (object) => convert(whole(object), specToHub, statusToHub),
    fromHub: (object) => convert(whole(object), specFromHub, statusFromHub),
  };
}

function convert<From, To, FromStatus, ToStatus>(
  { spec, status = {}, ...object }: Convertible,
  ofSpec: (spec: From) => To,
  ofStatus: ((status: FromStatus) => ToStatus | undefined) | undefined,
): Convertible<To, ToStatus> {
  // The API server has validated both against the schema of their version.
  const converted = ofStatus?.(withoutEmpty(status) as FromStatus);
  return {
    ...object,
    ...(spec === undefined ? {} : { spec: ofSpec(withoutEmpty(spec) as From) }),
    ...(converted === undefined ? {} : { status: converted }),
  };
}
