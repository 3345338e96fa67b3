import { z } from 'zod';
import { keyedList } from '../meta/lists.ts';
import { word } from '../meta/scalars.ts';
import { V1BETA1, V1BETA2, type Version } from '../meta/versions.ts';

const BOND_MODES = [
  'balance-rr',
  'active-backup',
  'balance-xor',
  'broadcast',
  'balance-tlb',
  'balance-alb',
  '802.3ad',
] as const;
const BOND_HASH_POLICIES = ['layer2', 'layer3+4', 'layer2+3'] as const;
const ETHERNET_TYPES = ['bridge', 'dvs', 'hw_veb', 'hyperv', 'ovs', 'tap', 'vhostuser', 'vif', 'phy'] as const;

/** The objects whose name, labels or annotations a template can use. */
export const dataObject = z
  .enum(['machine', 'metal3machine', 'baremetalhost'])
  .describe('Object to read from: machine, metal3machine or baremetalhost.');

export const fromAnnotation = ({
  text,
}: Version): z.ZodObject<{ object: typeof dataObject; annotation: z.ZodString }> =>
  z.object({ object: dataObject, annotation: text().describe('Name of the annotation.') });

/** One link of each type. */
const linksOf = (version: Version) => {
  const { text, integer, set } = version;
  /** Fields that all links have. */
  const link = {
    id: text().describe('Name of the link in this configuration; networks refer to it.'),
    name: text({ maxLength: 15, pattern: '^[a-zA-Z][a-zA-Z0-9._-]*$' })
      .describe('Name of the device in the deployed system.')
      .optional(),
    mtu: integer({ minimum: 1280, maximum: 9000 }).describe('MTU in bytes.').default(1500),
    macAddress: z
      .object({
        string: text().describe('The MAC address.').optional(),
        fromHostInterface: text()
          .describe('Uses the MAC address of the NIC of this name, as inspection reported it.')
          .optional(),
        fromAnnotation: fromAnnotation(version).describe('Uses the MAC address in an annotation.').optional(),
      })
      .describe('MAC address of the link; the first source that is set is used.'),
  };
  return {
    ethernet: z.object({ type: z.enum(ETHERNET_TYPES).describe('Type of the device; phy for a NIC.'), ...link }),
    bond: z.object({
      ...link,
      bondMode: z.enum(BOND_MODES).describe('Bonding mode.'),
      bondXmitHashPolicy: z
        .enum(BOND_HASH_POLICIES)
        .describe('Hash policy that selects the link for a packet.')
        .optional(),
      bondLinks: set(text(), { maxItems: 512 }).describe('Ids of the bonded links.').optional(),
    }),
    vlan: z.object({
      ...link,
      vlanID: integer({ minimum: 0, maximum: 4096 }).describe('Number of the VLAN.'),
      vlanLink: text().describe('Id of the link that carries the VLAN.'),
    }),
  };
};

const { ethernet, bond, vlan } = linksOf(V1BETA2);

const bondWithParameters = bond.extend({
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
});

export const links = z.object({
  ethernets: keyedList(ethernet, 'id', { maxItems: 32 }).describe('NICs.').optional(),
  bonds: keyedList(bondWithParameters, 'id').describe('Several links used as one.').optional(),
  vlans: keyedList(vlan, 'vlanID').describe('VLANs, each at most once.').optional(),
});

const older = linksOf(V1BETA1);

const olderBond = older.bond.extend({
  parameters: z
    .record(z.string(), z.unknown().meta({ 'x-kubernetes-preserve-unknown-fields': true }))
    .describe('Further parameters of the bond, named without the prefix bond_.')
    .optional(),
});

export const linksV1Beta1 = z.object({
  ethernets: z.array(older.ethernet).describe('NICs.').optional(),
  bonds: z.array(olderBond).describe('Several links used as one.').optional(),
  vlans: z.array(older.vlan).describe('VLANs.').optional(),
});
