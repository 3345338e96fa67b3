import { LOCK_NAMES } from '../lock/policy.ts';
import {
  filledText,
  flag,
  list,
  nullable,
  object,
  oneOf,
  optional,
  type Shape,
  table,
  tableOf,
  text,
  time,
  union,
  whole,
} from '../message/shape.ts';
import { carriedStatusShape, hostSpecShape } from './shown-shapes.ts';

/** Holders that an answer of a lock names. */
const MOST_NAMED = 100;

/** Secrets that a deployment reads: user data, metadata, network data, the login of a registry. */
const MOST_DATA_SECRETS = 4;

const secretVersion = object({ name: text, resourceVersion: nullable(text) });

/**
 * The shape of a host's snapshot. The bridge has parsed the spec with the schema of the CRD. The fields here are those
 * whose type a later step relies on.
 */
export const hostSnapshot: Shape = object({
  annotations: tableOf(text),
  retry: optional(text),
  copyRefused: optional(text),
  labels: optional(tableOf(text)),
  spec: hostSpecShape,
  settings: object({
    maxProvisioningRetries: whole(0),
    provisioningLimit: optional(whole(0)),
    buildsPreprovisioningImages: flag,
  }),
  bmcSecret: optional(secretVersion),
  preprovisioningNetworkData: optional(secretVersion),
  dataSecrets: optional(list(secretVersion, MOST_DATA_SECRETS)),
  image: optional(object({ resourceVersion: text, generation: whole(0), spec: table, status: table, deleting: flag })),
  dataImage: optional(object({ uid: filledText, url: text, deleting: flag })),
  hasHardwareData: flag,
  hardwareArchitecture: text,
  hasHardware: flag,
  failCountWritten: optional(whole(0)),
  status: optional(carriedStatusShape),
});

/** The shape of the signal `nodeObserved`. */
export const nodeObservation: Shape = object({
  uid: filledText,
  nodeId: filledText,
  node: nullable(
    object({
      id: filledText,
      state: filledText,
      targetState: nullable(text),
      poweredOn: nullable(flag),
      powerPending: flag,
      lastError: nullable(text),
      maintenance: flag,
      fault: nullable(text),
      health: nullable(text),
    }),
  ),
  unused: optional(flag),
  unadoptable: optional(flag),
  switchedByIronicAt: optional(time),
});

/** The shape of the signal `stuckObserved`. */
export const stuckObservation: Shape = object({ uid: filledText, state: filledText });

const answered = { lock: oneOf(...LOCK_NAMES), ticket: filledText };

/** The shape of the signal `placeAnswered`. */
export const placeAnswer: Shape = union('kind', {
  granted: object(answered),
  refused: object({ ...answered, waiting: whole(0) }),
  queued: object({
    ...answered,
    waitsFor: object({
      budget: filledText,
      limit: whole(0),
      held: whole(0),
      holders: list(filledText, MOST_NAMED),
      ahead: whole(0),
    }),
  }),
});

const objectName = object({ name: filledText, namespace: filledText });
const claimant = object({ name: filledText, namespace: filledText, api: optional(text) });
const host = object({ name: filledText, namespace: filledText, uid: filledText });

/** The shape of the update `claim`. */
export const hostClaim: Shape = object({
  host,
  machine: claimant,
  clusterName: text,
  reuse: optional(text),
});

/** The shape of the update `release`. */
export const hostRelease: Shape = object({
  host,
  machine: claimant,
  clusterName: text,
  reuse: optional(
    object({
      cluster: objectName,
      controlPlane: optional(object({ apiVersion: text, kind: text, name: text })),
      machineSet: optional(object({ name: text, uid: text })),
    }),
  ),
});
