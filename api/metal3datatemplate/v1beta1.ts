import { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import { boundedText, integer, time } from '../meta/scalars.ts';
import { linksV1Beta1 } from './links.ts';
import { metaDataV1Beta1 } from './meta-data.ts';
import { networkServicesV1Beta1, networksV1Beta1 } from './networks.ts';

const networkData = z.object({
  links: linksV1Beta1.describe('Devices.').optional(),
  networks: networksV1Beta1.describe('Networks of the links.').optional(),
  services: networkServicesV1Beta1.describe('Name servers.').optional(),
});

export const metal3DataTemplateSpecV1Beta1 = z
  .object({
    clusterName: boundedText({ minLength: 1 }).describe('Without effect.'),
    templateReference: z.string().describe('Deprecated and without effect.').optional(),
    metaData: metaDataV1Beta1.describe('Metadata of the config drive. Immutable.').optional(),
    networkData: networkData.describe('Network configuration of the config drive. Immutable.').optional(),
  })
  .describe('Templates of metadata and network configuration.');
export type Metal3DataTemplateSpecV1Beta1 = DeepReadonly<z.input<typeof metal3DataTemplateSpecV1Beta1>>;

export const metal3DataTemplateStatusV1Beta1 = z
  .object({
    lastUpdated: time().describe('Time at which the status was last updated.').optional(),
    indexes: z.record(z.string(), integer()).describe('Allocated indexes, by name of the Metal3DataClaim.').optional(),
  })
  .describe('Allocated indexes of the template.');
export type Metal3DataTemplateStatusV1Beta1 = DeepReadonly<z.input<typeof metal3DataTemplateStatusV1Beta1>>;
export type MetaDataV1Beta1 = NonNullable<Metal3DataTemplateSpecV1Beta1['metaData']>;
export type NetworkDataV1Beta1 = NonNullable<Metal3DataTemplateSpecV1Beta1['networkData']>;
