import { z } from 'zod';
import { namedReference } from '../meta/references.ts';
import { word } from '../meta/scalars.ts';

export const metal3DataClaimSpec = z
  .object({ template: namedReference.describe('Metal3DataTemplate to use; required.').optional() })
  .describe('The request.');

export const metal3DataClaimStatus = z
  .object({
    renderedData: namedReference.describe('Metal3Data that was created for the claim.').optional(),
    errorMessage: word().describe('Why there is no Metal3Data.').optional(),
  })
  .describe('Result of the request.');
