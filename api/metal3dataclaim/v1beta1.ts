import { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import { objectReference } from '../meta/references.ts';

export const metal3DataClaimSpecV1Beta1 = z
  .object({ template: objectReference.describe('Metal3DataTemplate to use.') })
  .describe('The request.');
export type Metal3DataClaimSpecV1Beta1 = DeepReadonly<z.input<typeof metal3DataClaimSpecV1Beta1>>;

export const metal3DataClaimStatusV1Beta1 = z
  .object({
    renderedData: objectReference.describe('Metal3Data that was created for the claim.').optional(),
    errorMessage: z.string().describe('Why there is no Metal3Data.').optional(),
  })
  .describe('Result of the request.');
export type Metal3DataClaimStatusV1Beta1 = DeepReadonly<z.input<typeof metal3DataClaimStatusV1Beta1>>;
