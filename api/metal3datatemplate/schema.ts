import { z } from 'zod';
import { keyedList } from '../meta/lists.ts';
import type { DeepReadonly } from '../meta/readonly.ts';
import { boundedText, integer, time, word } from '../meta/scalars.ts';
import { links } from './links.ts';
import { metaData } from './meta-data.ts';
import { networkServices, networks } from './networks.ts';

const networkData = z.object({
  links: links.describe('Devices.').optional(),
  networks: networks.describe('Networks of the links.').optional(),
  services: networkServices.describe('Name servers.').optional(),
});

export const metal3DataTemplateSpec = z
  .object({
    clusterName: boundedText({ maxLength: 512 }).describe('Deprecated and without effect.').optional(),
    metaData: metaData.describe('Metadata of the config drive. Immutable.').optional(),
    networkData: networkData.describe('Network configuration of the config drive. Immutable.').optional(),
  })
  .describe('Templates of metadata and network configuration.');
export type Metal3DataTemplateSpec = DeepReadonly<z.infer<typeof metal3DataTemplateSpec>>;
export type MetaData = NonNullable<Metal3DataTemplateSpec['metaData']>;
export type NetworkData = NonNullable<Metal3DataTemplateSpec['networkData']>;
/** The spec as in a manifest, before defaults are applied. */
export type Metal3DataTemplateSpecGiven = DeepReadonly<z.input<typeof metal3DataTemplateSpec>>;
export type MetaDataGiven = NonNullable<Metal3DataTemplateSpecGiven['metaData']>;
export type NetworkDataGiven = NonNullable<Metal3DataTemplateSpecGiven['networkData']>;

export const metal3DataTemplateStatus = z
  .object({
    lastUpdated: time().describe('Time at which the status was last updated.').optional(),
    indexes: keyedList(
      z
        .object({
          name: word().describe('Name of the Metal3DataClaim.'),
          index: integer({ minimum: 0, format: 'int32' }).describe('Its index.'),
        })
        .describe('Metal3DataClaim that has an index.'),
      'index',
    )
      .describe('Allocated indexes.')
      .optional(),
  })
  .describe('Allocated indexes of the template.');
export type Metal3DataTemplateStatus = DeepReadonly<z.infer<typeof metal3DataTemplateStatus>>;
