import { z } from 'zod';
import { integer, text, time } from '../meta/scalars.ts';
import { metaDataV1Beta1 } from './meta-data-v1beta1.ts';
import { networkDataV1Beta1 } from './network-data-v1beta1.ts';

export const metal3DataTemplateSpecV1Beta1 = z
  .object({
    clusterName: text({ minLength: 1 }).describe('Without effect.'),
    templateReference: z.string().describe('Deprecated and without effect.').optional(),
    metaData: metaDataV1Beta1.describe('Metadata of the config drive. Can not be changed.').optional(),
    networkData: networkDataV1Beta1
      .describe('Network configuration of the config drive. Can not be changed.')
      .optional(),
  })
  .describe('What metadata and network configuration of machines are made from.');

export const metal3DataTemplateStatusV1Beta1 = z
  .object({
    lastUpdated: time().describe('When the status was last worked out.').optional(),
    indexes: z
      .record(z.string(), integer())
      .describe('Indexes that are taken, by the names of the Metal3DataClaims that have them.')
      .optional(),
  })
  .describe('Which indexes are taken.');
