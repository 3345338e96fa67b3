import { describe, expect, test } from 'vitest';
import { patternMachine } from '../../machines/pattern.ts';
import { configureNetwork, type Network, nodeAddress } from './configure.ts';

const { nics } = patternMachine(7).inventory;
const LINK = { id: 'eth0', type: 'phy', ethernet_mac_address: '52:54:00:00:07:01' };
const DEFAULT = { network: '0.0.0.0', netmask: '0.0.0.0', gateway: '10.0.0.1', services: [] };
const STATIC = {
  id: 'lan',
  type: 'ipv4',
  link: 'eth0',
  ip_address: '10.0.0.10',
  netmask: '255.255.255.0',
  routes: [DEFAULT],
};
const DNS = [{ type: 'dns', address: '10.0.0.53' }];

const configured = (change: object = {}): Network =>
  configureNetwork({ links: [LINK], networks: [STATIC], services: DNS, ...change }, nics);
const withLan = (change: object): Network => configured({ networks: [{ ...STATIC, ...change }] });

describe('a lab machine', () => {
  test('configures the address, the gateway and the DNS server of its config drive', () => {
    const network = configured();
    expect(network).toEqual({ addresses: ['10.0.0.10/24'], gateways: ['10.0.0.1'], dnsServers: ['10.0.0.53'] });
    expect(nodeAddress(network)).toBe('10.0.0.10');
  });

  test('has the address that DHCP gives its NIC when the config drive says nothing, or DHCP', () => {
    const byDhcp = { addresses: ['172.22.100.7'], gateways: [], dnsServers: [] };
    expect(configureNetwork(null, nics)).toEqual(byDhcp);
    const networks = [{ id: 'lan', type: 'ipv4_dhcp', link: 'eth0', routes: [] }];
    expect(configured({ networks, services: [] })).toEqual(byDhcp);
  });

  test('is a Node with the address of the network that has the default route, also on a bond or a VLAN', () => {
    const links = [
      { id: 'bond0', type: 'bond', bond_links: ['eth0', 'eth1'], ethernet_mac_address: '52:54:00:00:07:01' },
      LINK,
      { id: 'eth1', type: 'phy', ethernet_mac_address: '52-54-00-00-07-02' },
      { id: 'vlan7', type: 'vlan', vlan_link: 'bond0', vlan_id: 7 },
    ];
    const storage = { ...STATIC, id: 'storage', link: 'bond0', ip_address: '10.9.0.10', routes: [] };
    const network = configured({ links, networks: [storage, { ...STATIC, link: 'vlan7' }] });
    expect(network.addresses).toEqual(['10.0.0.10/24', '10.9.0.10/24']);
  });

  test('takes IPv6, with a router that has a link-local address', () => {
    const v6 = { ...STATIC, type: 'ipv6', ip_address: '2001:db8::10', netmask: 'ffff:ffff:ffff:ffff::' };
    const routes = [{ network: '::', netmask: '::', gateway: 'fe80::1' }];
    expect(configured({ networks: [{ ...v6, routes }], services: [] })).toEqual({
      addresses: ['2001:db8::10/64'],
      gateways: ['fe80::1'],
      dnsServers: [],
    });
  });
});

describe('a lab machine is not connected', () => {
  test.each<[string, object, string]>([
    ['without an address', { ip_address: undefined }, 'network lan: ip_address "" is no address'],
    ['with an address that is none', { ip_address: '10.0.0' }, 'network lan: ip_address 10.0.0 is no address'],
    ['with an address of the other family', { type: 'ipv6' }, 'network lan: 10.0.0.10 is not of type ipv6'],
    ['without a prefix', { netmask: '' }, 'network lan: netmask "" is no netmask'],
    ['with the prefix 0', { netmask: '0.0.0.0' }, 'network lan: netmask 0.0.0.0 makes every address a neighbour'],
    ['with a netmask with a gap', { netmask: '255.0.255.0' }, 'network lan: netmask 255.0.255.0 is no netmask'],
    [
      'with a prefix that is too long for its gateway',
      { netmask: '255.255.255.248' },
      'network lan: the gateway 10.0.0.1 is not in the subnet of 10.0.0.10/29',
    ],
    [
      'with the address of its subnet',
      { ip_address: '10.0.0.0' },
      'network lan: 10.0.0.0/24 is the first or the last address of its subnet',
    ],
    [
      'with the broadcast address',
      { ip_address: '10.0.0.255' },
      'network lan: 10.0.0.255/24 is the first or the last address of its subnet',
    ],
    [
      'with a gateway elsewhere',
      { routes: [{ ...DEFAULT, gateway: '10.0.1.1' }] },
      'network lan: the gateway 10.0.1.1 is not in the subnet of 10.0.0.10/24',
    ],
    ['without its gateway', { routes: [{ ...DEFAULT, gateway: '' }] }, 'network lan: gateway "" is no address'],
    [
      'with itself as gateway',
      { routes: [{ ...DEFAULT, gateway: '10.0.0.10' }] },
      "network lan: the gateway 10.0.0.10 is the machine's own address",
    ],
    [
      'with a route to no network',
      { routes: [{ ...DEFAULT, network: '10.9.0.1', netmask: '255.255.0.0' }] },
      'network lan: 10.9.0.1 with 255.255.0.0 is no route',
    ],
    [
      'without a route to its DNS server',
      { ip_address: '10.2.0.9', routes: [] },
      'no route leads to the DNS server 10.0.0.53',
    ],
    ['on a link that is missing', { link: 'eth7' }, 'network lan: there is no link eth7'],
    ['by another kind of network', { type: 'ipx' }, 'network lan is of the unknown type ipx'],
  ])('%s', (_what, change, message) => {
    expect(() => withLan(change)).toThrow(message);
  });

  test.each<[string, object, string]>([
    ['without networks', { networks: [] }, 'the network data gives the machine no address'],
    ['with one address twice', { networks: [STATIC, STATIC] }, 'two networks have the address 10.0.0.10/24'],
    ['with a DNS server that is none', { services: [{ type: 'dns', address: 'dns' }] }, 'DNS server dns is no address'],
    [
      'with the NIC of another machine',
      { links: [{ ...LINK, ethernet_mac_address: '52:54:00:00:08:01' }] },
      'link eth0: the machine has no NIC with the MAC address 52:54:00:00:08:01',
    ],
    [
      'with a VLAN on nothing',
      { links: [LINK, { id: 'vlan7', type: 'vlan', vlan_link: 'bond0' }] },
      'link vlan7: there is no link bond0',
    ],
    [
      'with a VLAN on itself',
      { links: [LINK, { id: 'vlan7', type: 'vlan', vlan_link: 'vlan7' }] },
      'link vlan7 is on itself',
    ],
    ['with data that nobody can read', { links: 'eth0' }, 'network_data.json: links: '],
  ])('%s', (_what, change, message) => {
    expect(() => configured(change)).toThrow(message);
  });
});
