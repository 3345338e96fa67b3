import { z } from 'zod';
import { keyedList } from '../meta/lists.ts';
import { V1BETA1, V1BETA2, type Version } from '../meta/versions.ts';
import { dataObject, fromAnnotation } from './links.ts';
import { POOL_GROUP, POOL_KIND } from './values.ts';

/** Metadata entries, grouped by the source of their values. Lists of pools have other names in each version. */
const entriesOf = (version: Version) => {
  const { text, integer, list } = version;
  const key = text().describe('Key of the entry in the metadata.');
  return {
    first: {
      strings: list(z.object({ key, value: text().describe('The value.') }), 'key')
        .describe('Values that are the same for all machines.')
        .optional(),
      objectNames: list(z.object({ key, object: dataObject }), 'key')
        .describe('Names of objects that belong to the machine.')
        .optional(),
      indexes: list(
        z.object({
          key,
          offset: integer({ minimum: 0 }).describe('Value for index 0.').optional(),
          step: integer({ minimum: 1 }).describe('Difference between one index and the next.').default(1),
          prefix: text().describe('Text before the number.').optional(),
          suffix: text().describe('Text after the number.').optional(),
        }),
        'key',
      )
        .describe('Texts made from the index of the machine: prefix, offset + index * step, suffix.')
        .optional(),
      namespaces: list(z.object({ key }), 'key').describe('The namespace of the machine.').optional(),
    },
    pool: z.object({
      key,
      name: text().describe('Name of the pool.'),
      apiGroup: text().describe('API group of the pool.'),
      kind: text().describe('Kind of the pool.'),
    }),
    last: {
      fromHostInterfaces: list(
        z.object({
          key,
          interface: text().describe('Name of the NIC as inspection reported it; empty with fromBootMAC.').optional(),
          fromBootMAC: z.boolean().describe('Uses the boot MAC address of the host.').optional(),
        }),
        'key',
      )
        .describe('MAC addresses of NICs of the host.')
        .optional(),
      fromLabels: list(z.object({ key, object: dataObject, label: text().describe('Name of the label.') }), 'key')
        .describe('Values of labels; empty where the label is missing.')
        .optional(),
      fromAnnotations: list(z.object({ key, ...fromAnnotation(version).shape }), 'key')
        .describe('Values of annotations; empty where the annotation is missing.')
        .optional(),
    },
  };
};

const { first, pool, last } = entriesOf(V1BETA2);
const { apiGroup, kind } = pool.shape;
const fromPool = keyedList(
  pool.extend({ apiGroup: apiGroup.default(POOL_GROUP), kind: kind.default(POOL_KIND) }),
  'key',
);

export const metaData = z.object({
  ...first,
  ipAddressesFromPool: fromPool.describe('Addresses allocated from a pool.').optional(),
  prefixesFromPool: fromPool.describe('Prefix lengths of addresses allocated from a pool.').optional(),
  gatewaysFromPool: fromPool.describe('Gateways of addresses allocated from a pool.').optional(),
  dnsServersFromPool: fromPool.describe('Name servers of addresses allocated from a pool.').optional(),
  ...last,
});

const older = entriesOf(V1BETA1);
const fromIpPool = z.array(older.pool);

export const metaDataV1Beta1 = z.object({
  ...older.first,
  ipAddressesFromIPPool: fromIpPool.describe('Addresses allocated from a pool.').optional(),
  prefixesFromIPPool: fromIpPool.describe('Prefix lengths of addresses allocated from a pool.').optional(),
  gatewaysFromIPPool: fromIpPool.describe('Gateways of addresses allocated from a pool.').optional(),
  dnsServersFromIPPool: fromIpPool.describe('Name servers of addresses allocated from a pool.').optional(),
  ...older.last,
});
