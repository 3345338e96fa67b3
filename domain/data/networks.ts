import type { NetworkData } from '../../api/metal3datatemplate/types.ts';
import type { Content } from './content.ts';
import { annotationOf, type DataInputs, DataProblem, type PoolAddress, type PoolAddresses } from './facts.ts';
import { netmaskV4, netmaskV6 } from './netmask.ts';

type Networks = NonNullable<NetworkData['networks']>;
type Static = NonNullable<Networks['ipv4']>[number] | NonNullable<Networks['ipv6']>[number];
type Dynamic = NonNullable<Networks['ipv4DHCP']>[number] | NonNullable<Networks['ipv6DHCP']>[number];
type Route = NonNullable<Static['routes']>[number];
type Gateway = NonNullable<Route['gateway']>;
export type Services = NonNullable<NetworkData['services']>;
type Entry = Readonly<Record<string, Content>>;

export interface NetworkFacts extends DataInputs {
  readonly pools: PoolAddresses;
}

/** Networks with an address from a pool come first. */
export const renderNetworks = (networks: Networks, facts: NetworkFacts): readonly Entry[] => [
  ...(networks.ipv4 ?? []).map((network) => staticEntry('ipv4', network, facts)),
  ...(networks.ipv6 ?? []).map((network) => staticEntry('ipv6', network, facts)),
  ...(networks.ipv4DHCP ?? []).map((network) => dynamicEntry('ipv4_dhcp', network, facts)),
  ...(networks.ipv6DHCP ?? []).map((network) => dynamicEntry('ipv6_dhcp', network, facts)),
  ...(networks.ipv6SLAAC ?? []).map((network) => dynamicEntry('ipv6_slaac', network, facts)),
];

export function renderServices({ dns = [], dnsFromIPPool = '' }: Services, pools: PoolAddresses): readonly Entry[] {
  const pooled = dnsFromIPPool === '' ? [] : (inCache(pools, dnsFromIPPool).dnsServers ?? []);
  return [...dns, ...pooled].map((address) => ({ type: 'dns', address }));
}

type Netmask = (prefix: number | undefined) => string;

function staticEntry(type: 'ipv4' | 'ipv6', network: Static, facts: NetworkFacts): Entry {
  const { address, prefix } = inCache(facts.pools, poolOf(network, facts));
  const netmask = type === 'ipv4' ? netmaskV4 : netmaskV6;
  return {
    type,
    id: network.id,
    link: network.link,
    netmask: netmask(prefix),
    ip_address: address,
    routes: renderRoutes(network.routes ?? [], netmask, facts),
  };
}

function dynamicEntry(type: 'ipv4_dhcp' | 'ipv6_dhcp' | 'ipv6_slaac', network: Dynamic, facts: NetworkFacts): Entry {
  const netmask = type === 'ipv4_dhcp' ? netmaskV4 : netmaskV6;
  return { type, id: network.id, link: network.link, routes: renderRoutes(network.routes ?? [], netmask, facts) };
}

function poolOf({ fromPoolAnnotation, fromPoolRef, ipAddressFromIPPool = '' }: Static, facts: NetworkFacts): string {
  if (fromPoolAnnotation !== undefined) return annotationOf(fromPoolAnnotation, facts);
  const { name = '' } = fromPoolRef ?? {};
  return name !== '' ? name : ipAddressFromIPPool;
}

const renderRoutes = (routes: readonly Route[], netmask: Netmask, facts: NetworkFacts): readonly Entry[] =>
  routes.map(({ network, prefix = 0, gateway, services }) => ({
    network: network ?? '',
    netmask: netmask(prefix),
    gateway: gatewayOf(gateway, facts),
    services: renderServices(services ?? {}, facts.pools),
  }));

function gatewayOf(gateway: Gateway, facts: NetworkFacts): string {
  if (gateway.string !== undefined) return gateway.string;
  const ofPool = (name: string): string => {
    const found = facts.pools.get(name);
    if (found === undefined) throw new DataProblem('failed to fetch pool from cache');
    return found.gateway ?? '';
  };
  if (gateway.fromPoolAnnotation !== undefined) return ofPool(annotationOf(gateway.fromPoolAnnotation, facts));
  const { name = '' } = gateway.fromPoolRef ?? {};
  if (name !== '') return ofPool(name);
  const { fromIPPool = '' } = gateway;
  return fromIPPool === '' ? '' : ofPool(fromIPPool);
}

function inCache(pools: PoolAddresses, name: string): PoolAddress {
  const found = pools.get(name);
  if (found === undefined) throw new DataProblem('pool not found in cache');
  return found;
}
