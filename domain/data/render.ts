import type { NetworkData } from '../../api/metal3datatemplate/schema.ts';
import { BeyondBound } from '../bounds/beyond-bound.ts';
import { type ContentMap, readable } from './content.ts';
import { madeOf } from './draft.ts';
import { type DataInputs, DataProblem, macsOf, type PoolAddresses } from './facts.ts';
import { renderLinks } from './links.ts';
import { renderMetaData } from './meta-data.ts';
import { type NetworkFacts, renderNetworks, renderServices } from './networks.ts';
import type { DataSources } from './pools.ts';

/** What to write into a Secret, as YAML. */
export interface RenderedSecret {
  readonly key: 'metaData' | 'networkData';
  readonly name: string;
  readonly content: ContentMap;
}

/** The inputs from which the missing Secrets are rendered: the same inputs give the same content. */
export interface RenderInputs extends DataInputs {
  readonly template: DataSources;
  readonly namespace: string;
  readonly index: number;
  readonly pools: PoolAddresses;
  /** The Secrets that do not exist yet. */
  readonly secrets: readonly Pick<RenderedSecret, 'key' | 'name'>[];
}

/** `problem` is shown to users. */
export type Rendered = { readonly rendered: readonly RenderedSecret[] } | { readonly problem: string };

export function render({ template: { metaData, networkData }, secrets, host, ...rest }: RenderInputs): Rendered {
  const facts = { ...rest, host: { ...host, macs: macsOf(host.nics) } };
  try {
    const rendered = secrets.flatMap(({ key, name }): RenderedSecret[] => {
      if (key === 'metaData')
        return metaData === undefined ? [] : [{ key, name, content: renderMetaData(metaData, facts) }];
      return networkData === undefined ? [] : [{ key, name, content: renderNetworkData(networkData, facts) }];
    });
    return { rendered };
  } catch (error) {
    if (error instanceof DataProblem || error instanceof BeyondBound) return { problem: error.message };
    throw error;
  }
}

/** The network configuration of a config drive, OpenStack's `network_data.json`; all three lists are always present. */
export const renderNetworkData = ({ links, networks, services }: NetworkData, facts: NetworkFacts): ContentMap =>
  readable(
    madeOf({
      links: links === undefined ? [] : renderLinks(links, facts),
      networks: networks === undefined ? [] : renderNetworks(networks, facts),
      services: services === undefined ? [] : renderServices(services, facts.pools),
    }),
  );
