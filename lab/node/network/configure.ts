import { addressText, contains, isV4, type Subnet } from '../../../domain/ip-pool/address.ts';
import type { LabInventory } from '../../machines/inventory.ts';
import { macsOf } from './links.ts';
import {
  type ConfigDriveNetwork,
  type NetworkEntry,
  type NetworkService,
  networkDataSchema,
  type Route,
} from './network-data.ts';
import { addressIn, isLinkLocal, prefixOf, quoted, subnetOf, WrongNetworkData } from './subnet.ts';

type Nics = LabInventory['nics'];

/** How a lab machine is connected. The first address is that of its Node. */
export interface Network {
  /** `10.0.0.10/24`; without a prefix when DHCP gave it. */
  readonly addresses: readonly string[];
  /** The gateways of the default routes. */
  readonly gateways: readonly string[];
  readonly dnsServers: readonly string[];
}

/** The address that the lab's DHCP server gives to the first NIC that it knows. */
const BY_DHCP = '192.0.2.1';

/**
 * Configures the machine as cloud-init would, from its config drive, or by DHCP when that says nothing about the
 * network. Throws `WrongNetworkData` for a network in which a real machine could not reach anything.
 */
export function configureNetwork(given: unknown, nics: Nics): Network {
  if (given === null || given === undefined) return { addresses: [ipOf(nics)], gateways: [], dnsServers: [] };
  const read = networkDataSchema.safeParse(given);
  if (!read.success) {
    const [first] = read.error.issues;
    throw new WrongNetworkData(`network_data.json: ${first?.path.join('.')}: ${first?.message}`);
  }
  return connected(read.data, nics);
}

/** The address of the Node. */
export const nodeAddress = ({ addresses: [first = BY_DHCP] }: Network): string => first.split('/', 1)[0] ?? first;

const ipOf = (nics: Nics): string => nics.find(({ ip }) => ip !== undefined)?.ip ?? BY_DHCP;

interface Connection {
  readonly address: string;
  readonly subnet: Subnet | undefined;
  readonly routes: readonly Route[];
}

function connected({ links, networks, services }: ConfigDriveNetwork, nics: Nics): Network {
  const macs = macsOf(links ?? [], nics);
  const connections = (networks ?? []).map((network) => {
    const found = macs.get(network.link);
    if (found === undefined) throw new WrongNetworkData(`network ${network.id}: there is no link ${network.link}`);
    return connection(
      network,
      nics.filter(({ mac }) => found.includes(mac)),
    );
  });
  const addresses = connections
    // The Node has the address of the network with the default route.
    .toSorted((a, b) => Number(b.routes.some(isDefault)) - Number(a.routes.some(isDefault)))
    .flatMap(({ address }) => (address === '' ? [] : [address]));
  if (addresses.length === 0) throw new WrongNetworkData('the network data gives the machine no address');
  refuseTwice(addresses);
  const routes = connections.flatMap((one) => one.routes);
  const dnsServers = [...(services ?? []), ...routes.flatMap((route) => route.services ?? [])].flatMap(dnsServerIn);
  refuseUnreachable(dnsServers, connections);
  return { addresses, gateways: routes.filter(isDefault).map(({ gateway }) => gateway), dnsServers };
}

function connection(network: NetworkEntry, nics: Nics): Connection {
  const routes = network.routes ?? [];
  switch (network.type) {
    case 'ipv4':
    case 'ipv6':
      return withAddress(network, routes);
    case 'ipv4_dhcp':
      return { address: nics.find(({ ip }) => ip !== undefined)?.ip ?? '', subnet: undefined, routes };
    case 'ipv6_dhcp':
    case 'ipv6_slaac':
      return { address: '', subnet: undefined, routes };
    default:
      throw new WrongNetworkData(`network ${network.id} is of the unknown type ${network.type}`);
  }
}

function withAddress({ id, type, ip_address = '', netmask }: NetworkEntry, routes: readonly Route[]): Connection {
  const what = `network ${id}:`;
  const address = addressIn(ip_address, `${what} ip_address`);
  if (isV4(address) !== (type === 'ipv4')) throw new WrongNetworkData(`${what} ${ip_address} is not of type ${type}`);
  const prefix = prefixOf(netmask, `${what} netmask`);
  if (prefix === 0) throw new WrongNetworkData(`${what} netmask ${netmask} makes every address a neighbour`);
  const subnet = subnetOf(address, prefix);
  const text = `${addressText(address)}/${prefix}`;
  const isEnd = address === subnet.first || (type === 'ipv4' && address === subnet.last);
  if (isEnd && subnet.last - subnet.first > 1n)
    throw new WrongNetworkData(`${what} ${text} is the first or the last address of its subnet`);
  for (const route of routes) checkRoute(route, { what, address, subnet, text });
  return { address: text, subnet, routes };
}

interface Attached {
  readonly what: string;
  readonly address: bigint;
  readonly subnet: Subnet;
  readonly text: string;
}

function checkRoute({ network, netmask, gateway }: Route, { what, address, subnet, text }: Attached): void {
  const to = subnetOf(addressIn(network, `${what} route to`), prefixOf(netmask, `${what} route's netmask`));
  if (to.first !== to.written) throw new WrongNetworkData(`${what} ${network} with ${netmask} is no route`);
  const router = addressIn(gateway, `${what} gateway`);
  if (router === address) throw new WrongNetworkData(`${what} the gateway ${gateway} is the machine's own address`);
  if (!contains(subnet, router) && !isLinkLocal(router))
    throw new WrongNetworkData(`${what} the gateway ${gateway} is not in the subnet of ${text}`);
}

const isDefault = ({ network, netmask }: Route): boolean =>
  ['0.0.0.0', '::'].includes(network) && prefixOf(netmask, 'netmask') === 0;

function dnsServerIn({ type, address }: NetworkService): readonly string[] {
  return type === 'dns' ? [addressText(addressIn(address, 'DNS server'))] : [];
}

function refuseTwice(addresses: readonly string[]): void {
  const twice = addresses.find((address, at) => addresses.indexOf(address) !== at);
  if (twice !== undefined) throw new WrongNetworkData(`two networks have the address ${twice}`);
}

/** Throws for DNS servers that no route reaches. DHCP brings routes of its own. */
function refuseUnreachable(dnsServers: readonly string[], connections: readonly Connection[]): void {
  if (connections.some(({ subnet }) => subnet === undefined)) return;
  const subnets = connections.flatMap(({ subnet, routes }) => [
    ...(subnet === undefined ? [] : [subnet]),
    ...routes.map(({ network, netmask }) => subnetOf(addressIn(network, 'route to'), prefixOf(netmask, 'netmask'))),
  ]);
  const lost = dnsServers.find(
    (server) => !subnets.some((subnet) => contains(subnet, addressIn(server, 'DNS server'))),
  );
  if (lost !== undefined) throw new WrongNetworkData(`no route leads to the DNS server ${quoted(lost)}`);
}
