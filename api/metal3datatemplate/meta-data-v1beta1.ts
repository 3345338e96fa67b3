import { z } from 'zod';
import { integer } from '../meta/scalars.ts';
import { DATA_OBJECTS } from './values.ts';

const key = z.string().describe('Key of the entry in the metadata.');
const object = z.enum(DATA_OBJECTS).describe('Object to read from: machine, metal3machine or baremetalhost.');

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
    .describe('Values that are the same for all machines.')
    .optional(),
  objectNames: z.array(z.object({ key, object })).describe('Names of objects that belong to the machine.').optional(),
  indexes: z
    .array(
      z.object({
        key,
        offset: integer().describe('Value for index 0.').optional(),
        step: integer().describe('Difference between one index and the next.').default(1),
        prefix: z.string().describe('Text before the number.').optional(),
        suffix: z.string().describe('Text after the number.').optional(),
      }),
    )
    .describe('Texts made from the index of the machine: prefix, offset + index * step, suffix.')
    .optional(),
  namespaces: z.array(z.object({ key })).describe('The namespace of the machine.').optional(),
  ipAddressesFromIPPool: fromPool.describe('Addresses allocated from a pool.').optional(),
  prefixesFromIPPool: fromPool.describe('Prefix lengths of addresses allocated from a pool.').optional(),
  gatewaysFromIPPool: fromPool.describe('Gateways of addresses allocated from a pool.').optional(),
  dnsServersFromIPPool: fromPool.describe('Name servers of addresses allocated from a pool.').optional(),
  fromHostInterfaces: z
    .array(
      z.object({
        key,
        interface: z.string().describe('Name of the NIC as inspection reported it; empty with fromBootMAC.').optional(),
        fromBootMAC: z.boolean().describe('Uses the boot MAC address of the host.').optional(),
      }),
    )
    .describe('MAC addresses of NICs of the host.')
    .optional(),
  fromLabels: z
    .array(z.object({ key, object, label: z.string().describe('Name of the label.') }))
    .describe('Values of labels; empty where the label is missing.')
    .optional(),
  fromAnnotations: z
    .array(z.object({ key, object, annotation: z.string().describe('Name of the annotation.') }))
    .describe('Values of annotations; empty where the annotation is missing.')
    .optional(),
});
