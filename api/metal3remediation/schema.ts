import { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
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
/** The spec as in a manifest, before defaults are applied. */
export type Metal3RemediationSpecGiven = DeepReadonly<z.input<typeof metal3RemediationSpec>>;

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
export type Metal3RemediationStatus = DeepReadonly<z.infer<typeof metal3RemediationStatus>>;

export const metal3RemediationTemplateSpec = z
  .object({
    template: z.object({ spec: metal3RemediationSpec }).describe('The Metal3Remediation to create.'),
  })
  .describe('Template for the Metal3Remediations of a MachineHealthCheck.');
export type Metal3RemediationTemplateSpecGiven = DeepReadonly<z.input<typeof metal3RemediationTemplateSpec>>;

export const metal3RemediationTemplateStatus = z
  .object({ status: metal3RemediationStatus.describe('Always empty.').optional() })
  .describe('Always empty.');
export type Metal3RemediationTemplateStatus = DeepReadonly<z.infer<typeof metal3RemediationTemplateStatus>>;
