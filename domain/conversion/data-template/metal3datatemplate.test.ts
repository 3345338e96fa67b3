import { describe, expect, test } from 'vitest';
import { convertTo } from '../convert.ts';

const GROUP = 'infrastructure.cluster.x-k8s.io';
const convert = (from: string, to: string, parts: object): { readonly spec?: unknown; readonly status?: unknown } =>
  convertTo(`${GROUP}/${to}`, { apiVersion: `${GROUP}/${from}`, kind: 'Metal3DataTemplate', ...parts });
const newSpec = (spec: object): unknown => convert('v1beta1', 'v1beta2', { spec }).spec;
const oldSpec = (spec: object): unknown => convert('v1beta2', 'v1beta1', { spec }).spec;

describe('a Metal3DataTemplate', () => {
  test('has its indexes by claim in v1beta1 and in their order in v1beta2', () => {
    const [old, now] = [
      { b: 0, a: 1 },
      [
        { name: 'b', index: 0 },
        { name: 'a', index: 1 },
      ],
    ];
    expect(convert('v1beta1', 'v1beta2', { status: { indexes: old } }).status).toEqual({ indexes: now });
    expect(convert('v1beta2', 'v1beta1', { status: { indexes: now } }).status).toEqual({ indexes: old });
  });
  test('of v1beta1 loses its templateReference', () => {
    expect(newSpec({ clusterName: 'c', templateReference: 't' })).toEqual({ clusterName: 'c' });
  });
  test('of v1beta2 without a cluster has an empty one in v1beta1, which demands one', () => {
    expect(oldSpec({})).toEqual({ clusterName: '' });
  });
  test('takes addresses from lists of other names', () => {
    const pool = { key: 'k', name: 'n', apiGroup: 'ipam.metal3.io', kind: 'IPPool' };
    const old = {
      ipAddressesFromIPPool: [pool],
      prefixesFromIPPool: [pool],
      gatewaysFromIPPool: [pool],
      dnsServersFromIPPool: [pool],
    };
    const now = {
      ipAddressesFromPool: [pool],
      prefixesFromPool: [pool],
      gatewaysFromPool: [pool],
      dnsServersFromPool: [pool],
    };
    expect(newSpec({ clusterName: 'c', metaData: old })).toEqual({ clusterName: 'c', metaData: now });
    expect(oldSpec({ clusterName: 'c', metaData: now })).toEqual({ clusterName: 'c', metaData: old });
  });
  test('of v1beta1 loses an offset of 0 and a prefix of 0', () => {
    const metaData = { indexes: [{ key: 'k', offset: 0, step: 2 }] };
    const routes = [{ network: '0.0.0.0', prefix: 0, gateway: {} }];
    const networkData = { networks: { ipv4DHCP: [{ id: 'i', link: 'l', routes }] } };
    expect(newSpec({ clusterName: 'c', metaData, networkData })).toEqual({
      clusterName: 'c',
      metaData: { indexes: [{ key: 'k', step: 2 }] },
      networkData: { networks: { ipv4DHCP: [{ id: 'i', link: 'l', routes: [{ network: '0.0.0.0', gateway: {} }] }] } },
    });
  });
  test('has the parameters of a bond by name in v1beta1 and in the order of names in v1beta2', () => {
    const bond = { id: 'b', bondMode: 'active-backup' };
    const withBond = (parameters: unknown, mac: object): object => ({
      clusterName: 'c',
      networkData: { links: { bonds: [{ ...bond, macAddress: mac, parameters }] } },
    });
    const inOrder = [
      { name: 'a', value: { deep: [1] } },
      { name: 'miimon', value: 100 },
    ];
    const byName = { miimon: 100, a: { deep: [1] } };
    expect(newSpec(withBond(byName, {}))).toEqual(withBond(inOrder, {}));
    expect(oldSpec(withBond(inOrder, {}))).toMatchObject(withBond(byName, { string: '', fromHostInterface: '' }));
  });
  test('has a parameter without a value where v1beta1 has null', () => {
    const withBond = (parameters: unknown): object => ({
      clusterName: 'c',
      networkData: { links: { bonds: [{ id: 'b', bondMode: '802.3ad', macAddress: {}, parameters }] } },
    });
    expect(newSpec(withBond({ a: null }))).toEqual(withBond([{ name: 'a' }]));
    const mac = { string: '', fromHostInterface: '' };
    for (const parameter of [{ name: 'a' }, { name: 'a', value: null }]) {
      expect(oldSpec(withBond([parameter]))).toMatchObject({
        networkData: { links: { bonds: [{ macAddress: mac, parameters: { a: null } }] } },
      });
    }
  });
  test('of v1beta1 loses a step of 0, empty texts and indexes without a claim', () => {
    const metaData = { indexes: [{ key: 'k', step: 0, prefix: '', suffix: '' }] };
    expect(newSpec({ clusterName: 'c', metaData })).toEqual({
      clusterName: 'c',
      metaData: { indexes: [{ key: 'k' }] },
    });
    expect(convert('v1beta1', 'v1beta2', { status: { indexes: {} } }).status).toEqual({});
  });
  test('of v1beta1 without links, networks and services has none of them', () => {
    const networkData = { links: { bonds: [] }, networks: {}, services: { dns: [] } };
    expect(newSpec({ clusterName: 'c', networkData })).toEqual({ clusterName: 'c', networkData: {} });
  });
  test('of v1beta2 shows links, networks and services in v1beta1 although it has none, and no zeros', () => {
    expect(oldSpec({ clusterName: 'c', networkData: {} })).toEqual({
      clusterName: 'c',
      networkData: { links: {}, networks: {}, services: {} },
    });
    const metaData = {
      indexes: [{ key: 'k', offset: 0, step: 1 }],
      fromHostInterfaces: [{ key: 'm', interface: 'eth0', fromBootMAC: false }],
    };
    const routes = [{ network: '0.0.0.0', prefix: 0, gateway: { string: '10.0.0.1' } }];
    const networkData = { networks: { ipv4DHCP: [{ id: 'i', link: 'l', routes }] } };
    const gateway = { string: '10.0.0.1', fromPoolRef: { kind: '', name: '' } };
    expect(oldSpec({ clusterName: 'c', metaData, networkData })).toEqual({
      clusterName: 'c',
      metaData: { indexes: [{ key: 'k', step: 1 }], fromHostInterfaces: [{ key: 'm', interface: 'eth0' }] },
      networkData: {
        links: {},
        networks: { ipv4DHCP: [{ id: 'i', link: 'l', routes: [{ network: '0.0.0.0', services: {}, gateway }] }] },
        services: {},
      },
    });
  });
  test('of v1beta2 always has both texts of a MAC address in v1beta1', () => {
    const ethernet = { id: 'e', type: 'phy', macAddress: { string: 'm' } };
    expect(oldSpec({ clusterName: 'c', networkData: { links: { ethernets: [ethernet] } } })).toMatchObject({
      clusterName: 'c',
      networkData: { links: { ethernets: [{ ...ethernet, macAddress: { string: 'm', fromHostInterface: '' } }] } },
    });
  });
  test('of v1beta2 always has a pool in v1beta1 where there can be one, be it none', () => {
    const none = { kind: '', name: '' };
    const networkData = {
      networks: {
        ipv4: [{ id: 'i', link: 'l', fromPoolRef: { name: 'p', kind: 'IPPool', apiGroup: 'g' } }],
        ipv6: [{ id: 'i', link: 'l', routes: [{ network: '::', gateway: { string: '::1' } }] }],
      },
    };
    const old = {
      networks: {
        ipv4: networkData.networks.ipv4,
        ipv6: [
          {
            id: 'i',
            link: 'l',
            ipAddressFromIPPool: '',
            fromPoolRef: none,
            routes: [{ network: '::', services: {}, gateway: { string: '::1', fromPoolRef: none } }],
          },
        ],
      },
    };
    expect(oldSpec({ clusterName: 'c', networkData })).toEqual({
      clusterName: 'c',
      networkData: { ...old, links: {}, services: {} },
    });
    expect(newSpec({ clusterName: 'c', networkData: old })).toEqual({ clusterName: 'c', networkData });
  });
});
