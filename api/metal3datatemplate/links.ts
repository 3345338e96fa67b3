import { z } from 'zod';
import { keyedList, set } from '../meta/lists.ts';
import { boundedText, integer, word } from '../meta/scalars.ts';
import { BOND_HASH_POLICIES, BOND_MODES, DATA_OBJECTS, DEVICE_NAME_PATTERN, ETHERNET_TYPES } from './values.ts';

export const fromAnnotation = z.object({
  object: z.enum(DATA_OBJECTS).describe('Object to read from: machine, metal3machine or baremetalhost.'),
  annotation: word().describe('Name of the annotation.'),
});

/** Fields that all links have. */
const link = {
  id: word().describe('Name of the link in this configuration; networks refer to it.'),
  name: boundedText({ minLength: 1, maxLength: 15, pattern: DEVICE_NAME_PATTERN })
    .describe('Name of the device in the deployed system.')
    .optional(),
  mtu: integer({ minimum: 1280, maximum: 9000, format: 'int32' }).describe('MTU in bytes.').default(1500),
  macAddress: z
    .object({
      string: word().describe('The MAC address.').optional(),
      fromHostInterface: word()
        .describe('Uses the MAC address of the NIC of this name, as inspection reported it.')
        .optional(),
      fromAnnotation: fromAnnotation.describe('Uses the MAC address in an annotation.').optional(),
    })
    .describe('MAC address of the link; the first source that is set is used.'),
};

export const links = z.object({
  ethernets: keyedList(
    z.object({ type: z.enum(ETHERNET_TYPES).describe('Type of the device; phy for a NIC.'), ...link }),
    'id',
    { maxItems: 32 },
  )
    .describe('NICs.')
    .optional(),
  bonds: keyedList(
    z.object({
      ...link,
      bondMode: z.enum(BOND_MODES).describe('Bonding mode.'),
      bondXmitHashPolicy: z
        .enum(BOND_HASH_POLICIES)
        .describe('Hash policy that selects the link for a packet.')
        .optional(),
      bondLinks: set(word(), { maxItems: 512 }).describe('Ids of the bonded links.').optional(),
      parameters: keyedList(
        z.object({
          name: word().describe('Name of the parameter, without the prefix bond_.'),
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
        // Optional in v1beta1; the stored version requires it.
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
