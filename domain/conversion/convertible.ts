/** An object of one of the versions of a kind, as far as conversion looks at it. */
export interface Convertible<Spec = unknown, Status = unknown> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: Readonly<Record<string, unknown>> & {
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Spec;
  readonly status?: Status;
}

/** One kind's way between its deprecated version and the one that is stored. */
export interface Conversion {
  /** v1beta1 to v1beta2. Throws `Inconvertible`. */
  readonly toHub: (object: Convertible) => Convertible;
  /** v1beta2 to v1beta1. */
  readonly fromHub: (object: Convertible) => Convertible;
}

/** What the object says can't be said in the other version; the message says why. */
export class Inconvertible extends Error {
  override readonly name = 'Inconvertible';
}

interface Parts<Old, OldStatus, New, NewStatus> {
  readonly specToHub: (spec: Old) => New;
  readonly specFromHub: (spec: New) => Old;
  readonly statusToHub?: (status: OldStatus) => NewStatus;
  readonly statusFromHub?: (status: NewStatus) => OldStatus;
}

/** A kind whose spec and status are converted each by itself; nothing else of the object differs. */
export function conversion<Old, OldStatus, New, NewStatus>(
  parts: Parts<Old, OldStatus, New, NewStatus>,
): {
  readonly toHub: (object: Convertible) => Convertible<New, NewStatus>;
  readonly fromHub: (object: Convertible) => Convertible<Old, OldStatus>;
} {
  const { specToHub, specFromHub, statusToHub, statusFromHub } = parts;
  return {
    toHub: (object) => convert(object, specToHub, statusToHub),
    fromHub: (object) => convert(object, specFromHub, statusFromHub),
  };
}

function convert<From, To, FromStatus, ToStatus>(
  { spec, status, ...object }: Convertible,
  ofSpec: (spec: From) => To,
  ofStatus: ((status: FromStatus) => ToStatus) | undefined,
): Convertible<To, ToStatus> {
  // The API server has checked both against the schema of their version.
  return {
    ...object,
    ...(spec === undefined ? {} : { spec: ofSpec(spec as From) }),
    ...(status === undefined || ofStatus === undefined ? {} : { status: ofStatus(status as FromStatus) }),
  };
}
