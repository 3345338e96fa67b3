import { z } from 'zod';
import { namedReference, secretReference } from '../meta/references.ts';
import { integer, word } from '../meta/scalars.ts';

export const metal3DataSpec = z
  .object({
    index: integer({ minimum: 0, format: 'int32' }).describe('Number of the machine within its template.').optional(),
    metaData: secretReference.describe('Secret the metadata is written to.').optional(),
    networkData: secretReference.describe('Secret the network configuration is written to.').optional(),
    claim: namedReference.describe('Metal3DataClaim it was made for.').optional(),
    template: namedReference.describe('Metal3DataTemplate it is made from.').optional(),
  })
  .describe('What is to be made for one machine.');

export const metal3DataStatus = z
  .object({
    ready: z.boolean().describe('Whether the Secrets are written.').optional(),
    errorMessage: word().describe('Why they can not be.').optional(),
  })
  .describe('What has been made.');
