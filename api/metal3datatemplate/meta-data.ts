import { z } from 'zod';
import { keyedList } from '../meta/lists.ts';
import { integer, word } from '../meta/scalars.ts';
import { DATA_OBJECTS, POOL_GROUP, POOL_KIND } from './values.ts';

const key = word().describe('Name of the entry in the metadata.');
const object = z.enum(DATA_OBJECTS).describe('Which object is looked at: machine, metal3machine or baremetalhost.');

const fromPool = keyedList(
  z.object({
    key,
    name: word().describe('Name of the pool.'),
    apiGroup: word().describe('API group of the pool.').default(POOL_GROUP),
    kind: word().describe('Kind of the pool.').default(POOL_KIND),
  }),
  'key',
);

/** Entries of the metadata, by where their values come from. */
export const metaData = z.object({
  strings: keyedList(z.object({ key, value: word().describe('The value.') }), 'key')
    .describe('Values that are the same for all.')
    .optional(),
  objectNames: keyedList(z.object({ key, object }), 'key')
    .describe('Names of the objects the machine is made of.')
    .optional(),
  indexes: keyedList(
    z.object({
      key,
      offset: integer({ minimum: 0, format: 'int32' }).describe('Value of index 0.').optional(),
      step: integer({ minimum: 1, format: 'int32' }).describe('What lies between an index and the next.').default(1),
      prefix: word().describe('Text before the number.').optional(),
      suffix: word().describe('Text after the number.').optional(),
    }),
    'key',
  )
    .describe('Numbers made from the index of the machine: prefix, offset + index * step, suffix.')
    .optional(),
  namespaces: keyedList(z.object({ key }), 'key').describe('The namespace of the machine.').optional(),
  ipAddressesFromPool: fromPool.describe('Addresses taken from a pool.').optional(),
  prefixesFromPool: fromPool.describe('Lengths of the prefixes of addresses taken from a pool.').optional(),
  gatewaysFromPool: fromPool.describe('Gateways of addresses taken from a pool.').optional(),
  dnsServersFromPool: fromPool.describe('Name servers of addresses taken from a pool.').optional(),
  fromHostInterfaces: keyedList(
    z.object({
      key,
      interface: word().describe('Name of the NIC as inspection found it; empty with fromBootMAC.').optional(),
      fromBootMAC: z.boolean().describe('Takes the MAC address the host boots from.').optional(),
    }),
    'key',
  )
    .describe('MAC addresses of NICs of the host.')
    .optional(),
  fromLabels: keyedList(z.object({ key, object, label: word().describe('Name of the label.') }), 'key')
    .describe('Values of labels; empty where there is no such label.')
    .optional(),
  fromAnnotations: keyedList(z.object({ key, object, annotation: word().describe('Name of the annotation.') }), 'key')
    .describe('Values of annotations; empty where there is no such annotation.')
    .optional(),
});
