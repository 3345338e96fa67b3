import { z } from 'zod';
import { objectReference } from '../meta/references.ts';

export const metal3DataClaimSpecV1Beta1 = z
  .object({ template: objectReference.describe('Metal3DataTemplate to be used.') })
  .describe('What is asked for.');

export const metal3DataClaimStatusV1Beta1 = z
  .object({
    renderedData: objectReference.describe('Metal3Data that was made for it.').optional(),
    errorMessage: z.string().describe('Why there is none.').optional(),
  })
  .describe('What was given.');
