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

/** A counter that starts at 0 and is always there. */
const counter = (description: string): z.ZodDefault<z.ZodNumber> =>
  integer().describe(description).default(0).meta({ 'x-required': true });

export const credentialsStatus = z.object({
  credentials: secretReference.describe('The Secret the credentials came from.').optional(),
  credentialsVersion: z.string().describe('Resource version of that Secret, by which a change is noticed.').optional(),
});

const operation = z
  .object({
    start: time().describe('When it began last.').nullable().optional(),
    end: time().describe('When it ended; empty while it runs.').nullable().optional(),
  })
  .describe('When an operation last ran.');

const operationHistory = z.object({
  register: operation.describe('When the host was last registered.').optional(),
  inspect: operation.describe('When the host was last inspected.').optional(),
  provision: operation.describe('When the host was last provisioned.').optional(),
  deprovision: operation.describe('When the host was last deprovisioned.').optional(),
});

const provisioning = z.object({
  state: z.string().describe('Where the host is in its life, for example available or provisioned.'),
  ID: z.string().describe('UUID of the node in Ironic; empty until it is registered.'),
  image: image.describe('The image that is deployed; its URL is empty when there is none.').optional(),
  bootMode: z.enum(BOOT_MODES).describe('The boot mode in use.').optional(),
  customDeploy: customDeploy.describe('The custom deploy step that was run.').optional(),
  raid: raid.describe('The RAID volumes that were asked for last.').optional(),
  rootDeviceHints: rootDeviceHints.describe('The hints in use for the root disk.').optional(),
  firmware: firmwareConfig.describe('Deprecated and always empty.').optional(),
});

export const bareMetalHostStatus = z
  .object({
    operationalStatus: z
      .enum(OPERATIONAL_STATUSES)
      .describe('How the host does. In error, errorType and errorMessage tell more.'),
    errorType: z.enum(ERROR_TYPES).describe('What was being done when the last error happened.').optional(),
    errorMessage: z.string().describe('The last error in words; empty when all is well.'),
    errorCount: counter('How many errors there were in a row. The pause before the next attempt grows with it.'),
    provisioningFailCount: counter(
      'How many times the present image failed to deploy. Back to 0 once it succeeds or another image is asked for.',
    ),
    lastAttemptedImage: image.describe('The image of the last deployment, whether it succeeded or not.').optional(),
    lastUpdated: time().describe('When this status was last written.').optional(),
    hardwareProfile: z.string().describe('Deprecated: name of the hardware profile in use.').optional(),
    hardware: hardwareDetails.describe('Deprecated copy of what the HardwareData of the same name holds.').optional(),
    provisioning: provisioning.describe('How far the host has come and what is on it.'),
    goodCredentials: credentialsStatus.describe('Credentials the management controller last accepted.').optional(),
    triedCredentials: credentialsStatus.describe('Credentials that were last tried.').optional(),
    poweredOn: z.boolean().describe('Whether the host was on when last looked at; may lag behind during operations.'),
    operationHistory: operationHistory.describe('When each kind of operation last ran.').optional(),
    conditions: conditions.optional(),
  })
  .describe('What is known about the host.');
