import { z } from 'zod';
import { integer, time } from '../meta/scalars.ts';

export const metal3RemediationSpec = z
  .object({
    strategy: z
      .object({
        type: z.enum(['Reboot']).describe('Type of the strategy; only Reboot exists.').optional(),
        retryLimit: integer({ minimum: 1, format: 'int32' }).describe('Number of retries.').default(1),
        timeoutSeconds: integer({ minimum: 100, format: 'int32' })
          .describe('Seconds that the machine has to become healthy after each attempt.')
          .default(600),
      })
      .describe('Remediation strategy.')
      .optional(),
  })
  .describe('How to remediate an unhealthy machine.');

export const metal3RemediationStatus = z
  .object({
    phase: z
      .enum(['Running', 'Waiting', 'Deleting machine', 'Failed'])
      .describe('Phase of the remediation.')
      .optional(),
    retryCount: integer({ minimum: 1, format: 'int32' }).describe('Number of retries so far.').optional(),
    lastRemediated: time().describe('Time of the last attempt.').optional(),
  })
  .describe('Progress of the remediation.');

export const metal3RemediationTemplateSpec = z
  .object({
    template: z.object({ spec: metal3RemediationSpec }).describe('The Metal3Remediation to create.'),
  })
  .describe('Template for the Metal3Remediations of a MachineHealthCheck.');

export const metal3RemediationTemplateStatus = z
  .object({ status: metal3RemediationStatus.describe('Always empty.').optional() })
  .describe('Always empty.');
