import { describe, expect, test } from 'vitest';
import { type Assessed, assess } from '../../domain/data/examine.ts';
import { render } from '../../domain/data/render.ts';
import { type Find, gather } from '../gather.ts';
import { KINDS } from '../kinds.ts';
import { objectPath } from '../paths.ts';
import { assembleData } from './data-objects.ts';
import { readMetal3Data } from './metal3data.ts';

const METAL3 = 'infrastructure.cluster.x-k8s.io/v1beta2';
const meta = (name: string, more: object = {}) => ({
  metadata: { namespace: 'metal', name, uid: `${name}-uid`, ...more },
});
const owner = (kind: string, apiVersion: string, name: string) => ({
  ownerReferences: [{ kind, apiVersion, name, uid: `${name}-uid` }],
});

/** All that the data of one machine is made from, by path. */
const objects = new Map<string, object>(
  (
    [
      [
        KINDS.dataTemplate,
        {
          ...meta('nodes'),
          spec: {
            metaData: {
              ipAddressesFromPool: [{ key: 'ip', name: 'lan', kind: 'IPPool', apiGroup: 'ipam.metal3.io' }],
            },
            networkData: {},
          },
        },
      ],
      [KINDS.dataClaim, meta('m3m', owner('Metal3Machine', METAL3, 'm3m'))],
      [
        KINDS.metal3Machine,
        {
          ...meta('m3m', {
            ...owner('Machine', 'cluster.x-k8s.io/v1beta2', 'machine'),
            annotations: { 'metal3.io/BareMetalHost': 'metal/host' },
          }),
          spec: { dataTemplate: { name: 'nodes' } },
        },
      ],
      [KINDS.machine, { ...meta('machine'), spec: { clusterName: 'c' } }],
      [KINDS.host, { ...meta('host'), spec: { bootMACAddress: 'aa:bb:cc:dd:ee:ff' } }],
      [KINDS.secret, meta('m3m-networkdata')],
      [
        KINDS.ipClaim,
        { ...meta('nodes-0-lan', owner('Metal3Data', METAL3, 'nodes-0')), status: { address: { name: 'a' } } },
      ],
      [KINDS.ipAddress, { ...meta('a'), spec: { address: '10.0.0.7' } }],
    ] as const
  ).map(([kind, object]) => [objectPath(kind, object.metadata), object]),
);
const data = readMetal3Data({ ...meta('nodes-0'), spec: { template: { name: 'nodes' }, claim: { name: 'm3m' } } });
const look = (find: Find): Assessed & { readonly cluster: string } => {
  const { objects, cluster } = assembleData(data, find);
  return { ...assess(objects), cluster };
};

describe('what a Metal3Data is made from', () => {
  test('is the same out of a cache and read afresh', async () => {
    const cached = look((kind, name) => objects.get(objectPath(kind, name)));
    expect(cached).toMatchObject({
      cluster: 'c',
      secrets: [
        { name: 'm3m-metadata', exists: false },
        { name: 'm3m-networkdata', exists: true },
      ],
      inputs: { host: { name: 'host', bootMACAddress: 'aa:bb:cc:dd:ee:ff' }, secrets: [{ name: 'm3m-metadata' }] },
    });
    // An IPAddress of Metal3 without a prefix has prefix 0.
    expect(cached.inputs?.pools.get('lan')).toEqual({ address: '10.0.0.7', prefix: 0 });
    expect(await gather({ find: async (path) => objects.get(path) }, look)).toEqual(cached);
  });

  test('has prefix 0 where the pool has none, as the metadata and the network configuration say', () => {
    const reference = { name: 'lan', kind: 'IPPool', apiGroup: 'ipam.metal3.io' };
    const template = {
      ...meta('nodes'),
      spec: {
        metaData: { prefixesFromPool: [{ key: 'prefix', ...reference }] },
        networkData: { networks: { ipv4: [{ id: 'lan', link: 'eth0', fromPoolRef: reference }] } },
      },
    };
    const { inputs } = look((kind, name) => {
      if (kind.plural === KINDS.secret.plural) return undefined;
      return kind.plural === KINDS.dataTemplate.plural ? template : objects.get(objectPath(kind, name));
    });
    const result = inputs && render(inputs);
    expect(result).toMatchObject({
      rendered: [
        { key: 'metaData', content: { prefix: '0' } },
        { key: 'networkData', content: { networks: [{ ip_address: '10.0.0.7', netmask: '0.0.0.0' }] } },
      ],
    });
  });

  test('is as far as it is there', async () => {
    const without =
      (kind: { readonly plural: string }): Find =>
      (each, name) =>
        each.plural === kind.plural ? undefined : objects.get(objectPath(each, name));
    expect(look(without(KINDS.host)).hindrance?.message).toBe('waiting for BareMetalHost to become available');
    expect(look(without(KINDS.ipClaim)).unclaimed).toHaveLength(1);
    expect(look(without(KINDS.machine)).cluster).toBe('');
    expect(look(without(KINDS.dataTemplate)).secrets).toEqual([]);
  });
});
