import { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import { namedReference } from '../meta/references.ts';
import { word } from '../meta/scalars.ts';

export const metal3DataClaimSpec = z
  .object({ template: namedReference.describe('Metal3DataTemplate to use; required.').optional() })
  .describe('The request.');
export type Metal3DataClaimSpec = DeepReadonly<z.infer<typeof metal3DataClaimSpec>>;

export const metal3DataClaimStatus = z
  .object({
    renderedData: namedReference.describe('Metal3Data that was created for the claim.').optional(),
    errorMessage: word().describe('Why there is no Metal3Data.').optional(),
  })
  .describe('Result of the request.');
export type Metal3DataClaimStatus = DeepReadonly<z.infer<typeof metal3DataClaimStatus>>;
