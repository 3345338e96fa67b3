import { BOOT_MODES, ERROR_TYPES, OPERATIONAL_STATUSES } from '../../api/baremetalhost/values.ts';
import {
  anyText,
  flag,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  type Shape,
  table,
  time,
} from '../message/shape.ts';

/**
 * The shapes of what a host's message puts into the status. They accept what the schema of the CRD accepts: more would
 * make the API server refuse the status, less would make a run ignore its object.
 */

const image = object({
  url: anyText,
  checksum: optional(anyText),
  checksumType: optional(oneOf('md5', 'sha256', 'sha512', 'auto')),
  format: optional(oneOf('raw', 'qcow2', 'vdi', 'vmdk', 'live-iso')),
  ociAuthSecretName: optional(anyText),
});

const rootDeviceHints = object({
  deviceName: optional(anyText),
  hctl: optional(anyText),
  model: optional(anyText),
  vendor: optional(anyText),
  serialNumber: optional(anyText),
  minSizeGigabytes: optional(integer(0)),
  wwn: optional(anyText),
  wwnWithExtension: optional(anyText),
  wwnVendorExtension: optional(anyText),
  rotational: optional(flag),
});

const raid = object({
  hardwareRAIDVolumes: optional(
    nullable(
      list(
        object({
          level: oneOf('0', '1', '2', '5', '6', '1+0', '5+0', '6+0'),
          name: optional(anyText),
          sizeGibibytes: optional(integer(0)),
          numberOfPhysicalDisks: optional(integer(1)),
          controller: optional(anyText),
          physicalDisks: optional(list(anyText)),
          rotational: optional(flag),
        }),
      ),
    ),
  ),
  softwareRAIDVolumes: optional(
    nullable(
      list(
        object({
          level: oneOf('0', '1', '1+0'),
          sizeGibibytes: optional(integer(0)),
          physicalDisks: optional(list(rootDeviceHints)),
          rootVolume: optional(flag),
        }),
      ),
    ),
  ),
});

/** Fields of the spec that the status repeats once they are used. */
const used = {
  image: optional(image),
  bootMode: optional(oneOf(...BOOT_MODES)),
  customDeploy: optional(object({ method: anyText })),
  raid: optional(raid),
  rootDeviceHints: optional(rootDeviceHints),
};

/** The spec of a host, as far as the workflow relies on it. */
export const hostSpecShape: Shape = object({
  online: flag,
  bmc: optional(object({ address: anyText, credentialsName: anyText })),
  ...used,
});

const credentials = optional(
  object({
    credentials: optional(object({ name: optional(anyText), namespace: optional(anyText) })),
    credentialsVersion: optional(anyText),
  }),
);
const operation = optional(object({ start: optional(nullable(time)), end: optional(nullable(time)) }));

/** The status of a host with which a run begins. A state that is unknown is that of a new host. */
export const carriedStatusShape: Shape = object({
  operationalStatus: optional(oneOf(...OPERATIONAL_STATUSES)),
  errorType: optional(oneOf(...ERROR_TYPES)),
  errorMessage: optional(anyText),
  errorCount: optional(integer()),
  provisioningFailCount: optional(integer()),
  lastAttemptedImage: optional(image),
  hardwareProfile: optional(anyText),
  provisioning: object({ state: anyText, ID: optional(anyText), firmware: optional(table), ...used }),
  goodCredentials: credentials,
  triedCredentials: credentials,
  poweredOn: optional(flag),
  operationHistory: optional(
    object({ register: operation, inspect: operation, provision: operation, deprovision: operation }),
  ),
});
