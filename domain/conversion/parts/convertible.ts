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

/** Converts one kind between its deprecated and its stored version. */
export interface Conversion {
  /** From v1beta1 to v1beta2. Throws `Inconvertible`. */
  readonly toHub: (object: Convertible) => Convertible;
  /** From v1beta2 to v1beta1. */
  readonly fromHub: (object: Convertible) => Convertible;
}

/** The object has a value that the other version cannot express; the message says why. */
export class Inconvertible extends Error {
  override readonly name = 'Inconvertible';
}

interface Parts<Old, OldStatus, New, NewStatus> {
  readonly specToHub: (spec: Old) => New;
  readonly specFromHub: (spec: New) => Old;
  readonly statusToHub?: (status: OldStatus) => NewStatus;
  readonly statusFromHub?: (status: NewStatus) => OldStatus;
  /** The status in v1beta2 of an object without one; in v1beta1 it is always shown. */
  readonly noStatus?: NewStatus;
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
  const { specToHub, specFromHub, statusToHub, statusFromHub, noStatus } = parts;
  return {
    toHub: (object) => convert(object, specToHub, statusToHub),
    fromHub: ({ status = noStatus, ...object }) => convert({ ...object, status }, specFromHub, statusFromHub),
  };
}

function convert<From, To, FromStatus, ToStatus>(
  { spec, status, ...object }: Convertible,
  ofSpec: (spec: From) => To,
  ofStatus: ((status: FromStatus) => ToStatus) | undefined,
): Convertible<To, ToStatus> {
  // The API server has validated both against the schema of their version.
  return {
    ...object,
    ...(spec === undefined ? {} : { spec: ofSpec(spec as From) }),
    ...(status === undefined || ofStatus === undefined ? {} : { status: ofStatus(status as FromStatus) }),
  };
}
