import type { AnyObject } from './scene.ts';

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
