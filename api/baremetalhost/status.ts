import { z } from 'zod';
import { conditions } from '../meta/conditions.ts';
import { secretReference } from '../meta/references.ts';
import { integer, time } from '../meta/scalars.ts';
import { firmwareConfig } from './deprecated.ts';
import { hardwareDetails } from './hardware.ts';
import { customDeploy, image } from './image.ts';
import { raid } from './raid.ts';
import { rootDeviceHints } from './root-device-hints.ts';
import { BOOT_MODES, ERROR_TYPES, OPERATIONAL_STATUSES } from './values.ts';

/** A counter that starts at 0 and is always present. */
const counter = (description: string): z.ZodDefault<z.ZodNumber> =>
  integer().describe(description).default(0).meta({ 'x-required': true });

export const credentialsStatus = z.object({
  credentials: secretReference.describe('Secret that holds the credentials.').optional(),
  credentialsVersion: z.string().describe('resourceVersion of that Secret, used to detect a change.').optional(),
});

const operation = z
  .object({
    start: time().describe('Time of the last start.').nullable().optional(),
    end: time().describe('Time of the last end; empty while the operation runs.').nullable().optional(),
  })
  .describe('Start and end of the last operation of one type.');

const operationHistory = z.object({
  register: operation.describe('Last registration.').optional(),
  inspect: operation.describe('Last inspection.').optional(),
  provision: operation.describe('Last provisioning.').optional(),
  deprovision: operation.describe('Last deprovisioning.').optional(),
});

const provisioning = z.object({
  state: z.string().describe('Provisioning state, for example available or provisioned.'),
  ID: z.string().describe('UUID of the Ironic node; empty before registration.'),
  image: image.describe('The deployed image; its URL is empty when there is none.').optional(),
  bootMode: z.enum(BOOT_MODES).describe('Boot mode in use.').optional(),
  customDeploy: customDeploy.describe('Custom deploy step that was run.').optional(),
  raid: raid.describe('RAID volumes that were requested last.').optional(),
  rootDeviceHints: rootDeviceHints.describe('Root device hints in use.').optional(),
  firmware: firmwareConfig.describe('Deprecated, always empty.').optional(),
});

export const bareMetalHostStatus = z
  .object({
    operationalStatus: z
      .enum(OPERATIONAL_STATUSES)
      .describe('Health of the host. When it is error, errorType and errorMessage have the details.'),
    errorType: z.enum(ERROR_TYPES).describe('Type of the operation that failed last.').optional(),
    errorMessage: z.string().describe('Message of the last error; empty when there is none.'),
    errorCount: counter('Number of consecutive errors. The wait before the next attempt grows with it.'),
    provisioningFailCount: counter(
      'Number of failed deployments of the current image. Reset to 0 by a success or a change of the image.',
    ),
    lastAttemptedImage: image.describe('Image of the last deployment, whether it succeeded or not.').optional(),
    lastUpdated: time().describe('Time at which this status was last written.').optional(),
    hardwareProfile: z.string().describe('Deprecated: name of the hardware profile.').optional(),
    hardware: hardwareDetails.describe('Deprecated copy of the HardwareData object of the same name.').optional(),
    provisioning: provisioning.describe('Provisioning state and what is deployed on the host.'),
    goodCredentials: credentialsStatus.describe('Last credentials that the BMC accepted.').optional(),
    triedCredentials: credentialsStatus.describe('Last credentials that were tried.').optional(),
    poweredOn: z
      .boolean()
      .describe('Whether the host was powered on when it was last checked. May be outdated while an operation runs.'),
    operationHistory: operationHistory.describe('Start and end of the last operation of each type.').optional(),
    conditions: conditions.optional(),
  })
  .describe('Observed state of the host.');
