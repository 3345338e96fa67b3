import type { NetworkData } from '../../api/metal3datatemplate/schema.ts';
import type { DraftMap } from './draft.ts';
import { annotationOf, type DataInputs, DataProblem, type PoolAddress, type PoolAddresses } from './facts.ts';

type Networks = NonNullable<NetworkData['networks']>;
type Static = NonNullable<Networks['ipv4']>[number] | NonNullable<Networks['ipv6']>[number];
type Dynamic = NonNullable<Networks['ipv4DHCP']>[number] | NonNullable<Networks['ipv6DHCP']>[number];
type Route = NonNullable<Static['routes']>[number];
type Gateway = NonNullable<Route['gateway']>;
export type Services = NonNullable<NetworkData['services']>;

export interface NetworkFacts extends DataInputs {
  readonly pools: PoolAddresses;
}

/** Networks with an address from a pool come first. */
export function* renderNetworks(networks: Networks, facts: NetworkFacts): Iterable<DraftMap> {
  for (const network of networks.ipv4 ?? []) yield staticEntry('ipv4', network, facts);
  for (const network of networks.ipv6 ?? []) yield staticEntry('ipv6', network, facts);
  for (const network of networks.ipv4DHCP ?? []) yield dynamicEntry('ipv4_dhcp', network, facts);
  for (const network of networks.ipv6DHCP ?? []) yield dynamicEntry('ipv6_dhcp', network, facts);
  for (const network of networks.ipv6SLAAC ?? []) yield dynamicEntry('ipv6_slaac', network, facts);
}

export function* renderServices({ dns = [], dnsFromIPPool = '' }: Services, pools: PoolAddresses): Iterable<DraftMap> {
  for (const address of dns) yield { type: 'dns', address };
  if (dnsFromIPPool === '') return;
  for (const address of inCache(pools, dnsFromIPPool).dnsServers ?? []) yield { type: 'dns', address };
}

type Netmask = (prefix: number | undefined) => string;

function staticEntry(type: 'ipv4' | 'ipv6', network: Static, facts: NetworkFacts): DraftMap {
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

function dynamicEntry(type: 'ipv4_dhcp' | 'ipv6_dhcp' | 'ipv6_slaac', network: Dynamic, facts: NetworkFacts): DraftMap {
  const netmask = type === 'ipv4_dhcp' ? netmaskV4 : netmaskV6;
  return { type, id: network.id, link: network.link, routes: renderRoutes(network.routes ?? [], netmask, facts) };
}

function poolOf({ fromPoolAnnotation, fromPoolRef, ipAddressFromIPPool = '' }: Static, facts: NetworkFacts): string {
  if (fromPoolAnnotation !== undefined) return annotationOf(fromPoolAnnotation, facts);
  const { name = '' } = fromPoolRef ?? {};
  return name !== '' ? name : ipAddressFromIPPool;
}

function* renderRoutes(routes: readonly Route[], netmask: Netmask, facts: NetworkFacts): Iterable<DraftMap> {
  for (const { network, prefix = 0, gateway, services } of routes) {
    yield {
      network: network ?? '',
      netmask: netmask(prefix),
      gateway: gatewayOf(gateway, facts),
      services: renderServices(services ?? {}, facts.pools),
    };
  }
}

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

const V4_BITS = 32;
const V6_BITS = 128;
const V6_GROUPS = 8;

/** Dotted, for example 255.255.255.0. '' when the prefix is unknown. */
function netmaskV4(prefix: number | undefined): string {
  if (prefix === undefined) return '';
  // Go's text for an impossible mask: an address with too few bytes.
  if (prefix < 0 || prefix > V4_BITS) return '?00000000000000000000ffff';
  return parts(prefix, 4, 8).join('.');
}

/** For example `ffff:ffff:ffff:ffff::`. '' when the prefix is unknown. */
function netmaskV6(prefix: number | undefined): string {
  if (prefix === undefined) return '';
  if (prefix < 0 || prefix > V6_BITS) return '<nil>';
  const groups = parts(prefix, V6_GROUPS, 16).map((group) => group.toString(16));
  const set = groups.filter((group) => group !== '0');
  // A single group of zeros is not abbreviated.
  return groups.length - set.length < 2 ? groups.join(':') : `${set.join(':')}::`;
}

/** Splits the mask into `count` groups of `bits` bits. */
const parts = (prefix: number, count: number, bits: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => {
    const ones = Math.min(Math.max(prefix - index * bits, 0), bits);
    return 2 ** bits - 2 ** (bits - ones);
  });
