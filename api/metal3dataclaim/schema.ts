import { z } from 'zod';
import { namedReference } from '../meta/references.ts';
import { word } from '../meta/scalars.ts';

export const metal3DataClaimSpec = z
  .object({ template: namedReference.describe('Metal3DataTemplate to be used; has to be given.').optional() })
  .describe('What is asked for.');

export const metal3DataClaimStatus = z
  .object({
    renderedData: namedReference.describe('Metal3Data that was made for it.').optional(),
    errorMessage: word().describe('Why there is none.').optional(),
  })
  .describe('What was given.');
