import { z } from 'zod';
import { integer, time } from '../meta/scalars.ts';

export const metal3RemediationSpecV1Beta1 = z
  .object({
    strategy: z
      .object({
        type: z.string().describe('What is done: Reboot, the one there is.').optional(),
        retryLimit: integer().describe('How often it is tried again.').optional(),
        timeout: z
          .string()
          .describe('Time the machine has to become healthy after each try, for example 600s.')
          .optional(),
      })
      .describe('How the machine is healed.')
      .optional(),
  })
  .describe('How an unhealthy machine is to be healed.');

export const metal3RemediationStatusV1Beta1 = z
  .object({
    phase: z.string().describe('How far it has come.').optional(),
    retryCount: integer().describe('How often it was tried again.').optional(),
    lastRemediated: time().describe('When it was last tried.').optional(),
  })
  .describe('How the healing goes.');

export const metal3RemediationTemplateSpecV1Beta1 = z
  .object({
    template: z.object({ spec: metal3RemediationSpecV1Beta1 }).describe('The Metal3Remediation to be made.'),
  })
  .describe('What the Metal3Remediations of a MachineHealthCheck are made from.');

export const metal3RemediationTemplateStatusV1Beta1 = z
  .object({ status: metal3RemediationStatusV1Beta1.describe('Never filled in.') })
  .describe('Never filled in.');
