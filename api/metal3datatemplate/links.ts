import { z } from 'zod';
import { keyedList, set } from '../meta/lists.ts';
import { integer, text, word } from '../meta/scalars.ts';
import { BOND_HASH_POLICIES, BOND_MODES, DATA_OBJECTS, DEVICE_NAME_PATTERN, ETHERNET_TYPES } from './values.ts';

export const fromAnnotation = z.object({
  object: z.enum(DATA_OBJECTS).describe('Which object is looked at: machine, metal3machine or baremetalhost.'),
  annotation: word().describe('Name of the annotation.'),
});

/** What all links have. */
const link = {
  id: word().describe('Name of the link in this configuration; networks refer to it.'),
  name: text({ minLength: 1, maxLength: 15, pattern: DEVICE_NAME_PATTERN })
    .describe('Name the device is to have in the system.')
    .optional(),
  mtu: integer({ minimum: 1280, maximum: 9000, format: 'int32' }).describe('Largest packet, in bytes.').default(1500),
  macAddress: z
    .object({
      string: word().describe('The MAC address itself.').optional(),
      fromHostInterface: word().describe('Takes that of the NIC of this name, as inspection found it.').optional(),
      fromAnnotation: fromAnnotation.describe('Takes it from an annotation.').optional(),
    })
    .describe('MAC address of the link; the first of the three that is given counts.'),
};

export const links = z.object({
  ethernets: keyedList(
    z.object({ type: z.enum(ETHERNET_TYPES).describe('Kind of the device; phy for a NIC.'), ...link }),
    'id',
    { maxItems: 32 },
  )
    .describe('NICs.')
    .optional(),
  bonds: keyedList(
    z.object({
      ...link,
      bondMode: z.enum(BOND_MODES).describe('How the links are used together.'),
      bondXmitHashPolicy: z.enum(BOND_HASH_POLICIES).describe('What decides which link a packet takes.').optional(),
      bondLinks: set(word(), { maxItems: 512 }).describe('Ids of the links that are bonded.').optional(),
      parameters: keyedList(
        z.object({
          name: word().describe('Name of the parameter, without bond_ before it.'),
          value: z
            .unknown()
            .describe('Its value.')
            .meta({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
            .optional(),
        }),
        'name',
      )
        .describe('Further parameters of the bond.')
        .optional()
        // Bonds of v1beta1 need none, and are stored like this.
        .meta({ 'x-required': true }),
    }),
    'id',
  )
    .describe('Several links used as one.')
    .optional(),
  vlans: keyedList(
    z.object({
      ...link,
      vlanID: integer({ minimum: 0, maximum: 4096, format: 'int32' }).describe('Number of the VLAN.'),
      vlanLink: word().describe('Id of the link that carries the VLAN.'),
    }),
    'vlanID',
  )
    .describe('VLANs, each at most once.')
    .optional(),
});
