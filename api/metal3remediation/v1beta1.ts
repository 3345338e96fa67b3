import { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
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
export type Metal3RemediationSpecV1Beta1 = DeepReadonly<z.input<typeof metal3RemediationSpecV1Beta1>>;

export const metal3RemediationStatusV1Beta1 = z
  .object({
    phase: z.string().describe('Phase of the remediation.').optional(),
    retryCount: integer().describe('Number of retries so far.').optional(),
    lastRemediated: time().describe('Time of the last attempt.').optional(),
  })
  .describe('Progress of the remediation.');
export type Metal3RemediationStatusV1Beta1 = DeepReadonly<z.input<typeof metal3RemediationStatusV1Beta1>>;

export const metal3RemediationTemplateSpecV1Beta1 = z
  .object({
    template: z.object({ spec: metal3RemediationSpecV1Beta1 }).describe('The Metal3Remediation to create.'),
  })
  .describe('Template for the Metal3Remediations of a MachineHealthCheck.');
export type Metal3RemediationTemplateSpecV1Beta1 = DeepReadonly<z.input<typeof metal3RemediationTemplateSpecV1Beta1>>;

export const metal3RemediationTemplateStatusV1Beta1 = z
  .object({ status: metal3RemediationStatusV1Beta1.describe('Always empty.') })
  .describe('Always empty.');
export type Metal3RemediationTemplateStatusV1Beta1 = DeepReadonly<
  z.input<typeof metal3RemediationTemplateStatusV1Beta1>
>;
