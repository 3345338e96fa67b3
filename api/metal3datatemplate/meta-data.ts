import { z } from 'zod';
import { keyedList } from '../meta/lists.ts';
import { integer, word } from '../meta/scalars.ts';
import { DATA_OBJECTS, POOL_GROUP, POOL_KIND } from './values.ts';

const key = word().describe('Key of the entry in the metadata.');
const object = z.enum(DATA_OBJECTS).describe('Object to read from: machine, metal3machine or baremetalhost.');

const fromPool = keyedList(
  z.object({
    key,
    name: word().describe('Name of the pool.'),
    apiGroup: word().describe('API group of the pool.').default(POOL_GROUP),
    kind: word().describe('Kind of the pool.').default(POOL_KIND),
  }),
  'key',
);

/** Metadata entries, grouped by the source of their values. */
export const metaData = z.object({
  strings: keyedList(z.object({ key, value: word().describe('The value.') }), 'key')
    .describe('Values that are the same for all machines.')
    .optional(),
  objectNames: keyedList(z.object({ key, object }), 'key')
    .describe('Names of objects that belong to the machine.')
    .optional(),
  indexes: keyedList(
    z.object({
      key,
      offset: integer({ minimum: 0, format: 'int32' }).describe('Value for index 0.').optional(),
      step: integer({ minimum: 1, format: 'int32' }).describe('Difference between one index and the next.').default(1),
      prefix: word().describe('Text before the number.').optional(),
      suffix: word().describe('Text after the number.').optional(),
    }),
    'key',
  )
    .describe('Texts made from the index of the machine: prefix, offset + index * step, suffix.')
    .optional(),
  namespaces: keyedList(z.object({ key }), 'key').describe('The namespace of the machine.').optional(),
  ipAddressesFromPool: fromPool.describe('Addresses allocated from a pool.').optional(),
  prefixesFromPool: fromPool.describe('Prefix lengths of addresses allocated from a pool.').optional(),
  gatewaysFromPool: fromPool.describe('Gateways of addresses allocated from a pool.').optional(),
  dnsServersFromPool: fromPool.describe('Name servers of addresses allocated from a pool.').optional(),
  fromHostInterfaces: keyedList(
    z.object({
      key,
      interface: word().describe('Name of the NIC as inspection reported it; empty with fromBootMAC.').optional(),
      fromBootMAC: z.boolean().describe('Uses the boot MAC address of the host.').optional(),
    }),
    'key',
  )
    .describe('MAC addresses of NICs of the host.')
    .optional(),
  fromLabels: keyedList(z.object({ key, object, label: word().describe('Name of the label.') }), 'key')
    .describe('Values of labels; empty where the label is missing.')
    .optional(),
  fromAnnotations: keyedList(z.object({ key, object, annotation: word().describe('Name of the annotation.') }), 'key')
    .describe('Values of annotations; empty where the annotation is missing.')
    .optional(),
});
