import { z } from 'zod';
import { integer } from '../meta/scalars.ts';
import { DATA_OBJECTS } from './values.ts';

const key = z.string().describe('Name of the entry in the metadata.');
const object = z.enum(DATA_OBJECTS).describe('Which object is looked at: machine, metal3machine or baremetalhost.');

const fromPool = z.array(
  z.object({
    key,
    name: z.string().describe('Name of the pool.'),
    apiGroup: z.string().describe('API group of the pool.'),
    kind: z.string().describe('Kind of the pool.'),
  }),
);

export const metaDataV1Beta1 = z.object({
  strings: z
    .array(z.object({ key, value: z.string().describe('The value.') }))
    .describe('Values that are the same for all.')
    .optional(),
  objectNames: z.array(z.object({ key, object })).describe('Names of the objects the machine is made of.').optional(),
  indexes: z
    .array(
      z.object({
        key,
        offset: integer().describe('Value of index 0.').optional(),
        step: integer().describe('What lies between an index and the next.').default(1),
        prefix: z.string().describe('Text before the number.').optional(),
        suffix: z.string().describe('Text after the number.').optional(),
      }),
    )
    .describe('Numbers made from the index of the machine: prefix, offset + index * step, suffix.')
    .optional(),
  namespaces: z.array(z.object({ key })).describe('The namespace of the machine.').optional(),
  ipAddressesFromIPPool: fromPool.describe('Addresses taken from a pool.').optional(),
  prefixesFromIPPool: fromPool.describe('Lengths of the prefixes of addresses taken from a pool.').optional(),
  gatewaysFromIPPool: fromPool.describe('Gateways of addresses taken from a pool.').optional(),
  dnsServersFromIPPool: fromPool.describe('Name servers of addresses taken from a pool.').optional(),
  fromHostInterfaces: z
    .array(
      z.object({
        key,
        interface: z.string().describe('Name of the NIC as inspection found it; empty with fromBootMAC.').optional(),
        fromBootMAC: z.boolean().describe('Takes the MAC address the host boots from.').optional(),
      }),
    )
    .describe('MAC addresses of NICs of the host.')
    .optional(),
  fromLabels: z
    .array(z.object({ key, object, label: z.string().describe('Name of the label.') }))
    .describe('Values of labels; empty where there is no such label.')
    .optional(),
  fromAnnotations: z
    .array(z.object({ key, object, annotation: z.string().describe('Name of the annotation.') }))
    .describe('Values of annotations; empty where there is no such annotation.')
    .optional(),
});
