import { z } from 'zod';
import { integer, time } from '../meta/scalars.ts';

export const metal3RemediationSpec = z
  .object({
    strategy: z
      .object({
        type: z.enum(['Reboot']).describe('What is done: Reboot, the one there is.').optional(),
        retryLimit: integer({ minimum: 1, format: 'int32' }).describe('How often it is tried again.').default(1),
        timeoutSeconds: integer({ minimum: 100, format: 'int32' })
          .describe('Seconds the machine has to become healthy after each try.')
          .default(600),
      })
      .describe('How the machine is healed.')
      .optional(),
  })
  .describe('How an unhealthy machine is to be healed.');

export const metal3RemediationStatus = z
  .object({
    phase: z.enum(['Running', 'Waiting', 'Deleting machine', 'Failed']).describe('How far it has come.').optional(),
    retryCount: integer({ minimum: 1, format: 'int32' }).describe('How often it was tried again.').optional(),
    lastRemediated: time().describe('When it was last tried.').optional(),
  })
  .describe('How the healing goes.');

export const metal3RemediationTemplateSpec = z
  .object({
    template: z.object({ spec: metal3RemediationSpec }).describe('The Metal3Remediation to be made.'),
  })
  .describe('What the Metal3Remediations of a MachineHealthCheck are made from.');

export const metal3RemediationTemplateStatus = z
  .object({ status: metal3RemediationStatus.describe('Never filled in.').optional() })
  .describe('Never filled in.');
