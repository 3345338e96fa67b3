import type { AnyObject } from './scene.ts';

/** Spec of a Metal3DataTemplate without addresses. */
export const OF_NODES = {
  metaData: {
    strings: [
      { key: 'greeting', value: 'yes' },
      { key: 'hidden', value: 'needle' },
    ],
    indexes: [{ key: 'rank', offset: 10, step: 2, prefix: 'r' }],
    objectNames: [{ key: 'm', object: 'machine' }],
    fromLabels: [{ key: 'room', object: 'baremetalhost', label: 'room' }],
    fromHostInterfaces: [{ key: 'mac', interface: 'eth0' }],
  },
  networkData: {
    links: { ethernets: [{ type: 'phy', id: 'nic0', macAddress: { fromHostInterface: 'eth0' } }] },
    networks: { ipv4DHCP: [{ id: 'lan', link: 'nic0' }] },
    services: { dns: ['8.8.8.8'] },
  },
};

/** Spec of a Metal3DataTemplate with addresses of two IPPools; an annotation of the host names the first. */
export const OF_IP_POOLS = {
  metaData: { ipAddressesFromPool: [{ key: 'ip', name: 'storage' }] },
  networkData: {
    networks: {
      ipv4: [
        {
          id: 'a',
          link: 'nic0',
          fromPoolAnnotation: { object: 'baremetalhost', annotation: 'lan' },
          routes: [{ network: '0.0.0.0', gateway: { fromIPPool: 'storage' } }],
        },
      ],
    },
    services: { dnsFromIPPool: 'storage' },
  },
};

/** The same with addresses of a pool that is not an IPPool. */
export const OF_ANOTHER_POOL = {
  networkData: {
    networks: {
      ipv6: [
        {
          id: 'a',
          link: 'nic0',
          fromPoolRef: { name: 'lan', kind: 'InClusterIPPool', apiGroup: 'ipam.cluster.x-k8s.io' },
        },
      ],
    },
  },
};

/** The address of one IPPool, and its prefix. */
export const ofIpPool = (name: string) => ({
  metaData: { ipAddressesFromPool: [{ key: 'ip', name }], prefixesFromPool: [{ key: 'prefix', name }] },
  networkData: { networks: { ipv4: [{ id: 'a', link: 'nic0', fromPoolRef: { name } }] } },
});

/** Assigned indexes by claim, from the status of a template. */
export const indexesOf = (template: AnyObject | undefined): Map<string, number> =>
  new Map(
    ((template?.status?.['indexes'] ?? []) as { name: string; index: number }[]).map(({ name, index }) => [
      name,
      index,
    ]),
  );

/** Names of claims with their indexes, in order, from the Metal3Data of a template. */
export const givenBy = (data: readonly AnyObject[], template: string) =>
  data
    .map(({ spec }) => spec as { claim: { name: string }; template: { name: string }; index: number })
    .filter((spec) => spec.template.name === template)
    .map(({ claim, index }) => [claim.name, index] as const)
    .toSorted(([, a], [, b]) => a - b);
