import type { NetworkData } from '../../api/metal3datatemplate/types.ts';
import { type ContentMap, readable } from './content.ts';
import { madeOf } from './draft.ts';
import { renderLinks } from './links.ts';
import { type NetworkFacts, renderNetworks, renderServices } from './networks.ts';

/** The network configuration of a config drive, OpenStack's `network_data.json`; all three lists are always present. */
export const renderNetworkData = ({ links, networks, services }: NetworkData, facts: NetworkFacts): ContentMap =>
  readable(
    madeOf({
      links: links === undefined ? [] : renderLinks(links, facts),
      networks: networks === undefined ? [] : renderNetworks(networks, facts),
      services: services === undefined ? [] : renderServices(services, facts.pools),
    }),
  );
