import { z } from 'zod';
import { objectReference, secretReference } from '../meta/references.ts';
import { integer } from '../meta/scalars.ts';

export const metal3DataSpecV1Beta1 = z
  .object({
    index: integer().describe('Number of the machine within its template.').optional(),
    templateReference: z.string().describe('Deprecated and without effect.').optional(),
    metaData: secretReference.describe('Secret the metadata is written to.').optional(),
    networkData: secretReference.describe('Secret the network configuration is written to.').optional(),
    claim: objectReference.describe('Metal3DataClaim it was made for.'),
    template: objectReference.describe('Metal3DataTemplate it is made from.'),
  })
  .describe('What is to be made for one machine.');

export const metal3DataStatusV1Beta1 = z
  .object({
    ready: z.boolean().describe('Whether the Secrets are written.').optional(),
    errorMessage: z.string().describe('Why they can not be.').optional(),
  })
  .describe('What has been made.');
