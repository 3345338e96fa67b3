import { z } from 'zod';
import { integer, time } from '../meta/scalars.ts';

export const metal3RemediationSpecV1Beta1 = z
  .object({
    strategy: z
      .object({
        type: z.string().describe('Type of the strategy; only Reboot exists.').optional(),
        retryLimit: integer().describe('Number of retries.').optional(),
        timeout: z
          .string()
          .describe('Time that the machine has to become healthy after each attempt, for example 600s.')
          .optional(),
      })
      .describe('Remediation strategy.')
      .optional(),
  })
  .describe('How to remediate an unhealthy machine.');

export const metal3RemediationStatusV1Beta1 = z
  .object({
    phase: z.string().describe('Phase of the remediation.').optional(),
    retryCount: integer().describe('Number of retries so far.').optional(),
    lastRemediated: time().describe('Time of the last attempt.').optional(),
  })
  .describe('Progress of the remediation.');

export const metal3RemediationTemplateSpecV1Beta1 = z
  .object({
    template: z.object({ spec: metal3RemediationSpecV1Beta1 }).describe('The Metal3Remediation to create.'),
  })
  .describe('Template for the Metal3Remediations of a MachineHealthCheck.');

export const metal3RemediationTemplateStatusV1Beta1 = z
  .object({ status: metal3RemediationStatusV1Beta1.describe('Always empty.') })
  .describe('Always empty.');
