import { z } from 'zod';
import { ipAddress, ipv4Address, ipv6Address } from '../meta/ip-address.ts';
import { integer, text } from '../meta/scalars.ts';
import { BOND_HASH_POLICIES, BOND_MODES, DATA_OBJECTS, DEVICE_NAME_PATTERN, ETHERNET_TYPES } from './values.ts';

const fromAnnotation = z.object({
  object: z.enum(DATA_OBJECTS).describe('Which object is looked at: machine, metal3machine or baremetalhost.'),
  annotation: z.string().describe('Name of the annotation.'),
});

/** What all links have. */
const link = {
  id: z.string().describe('Name of the link in this configuration; networks refer to it.'),
  name: text({ maxLength: 15, pattern: DEVICE_NAME_PATTERN })
    .describe('Name the device is to have in the system.')
    .optional(),
  mtu: integer({ maximum: 9000 }).describe('Largest packet, in bytes.').default(1500),
  macAddress: z
    .object({
      string: z.string().describe('The MAC address itself.').optional(),
      fromHostInterface: z.string().describe('Takes that of the NIC of this name, as inspection found it.').optional(),
      fromAnnotation: fromAnnotation.describe('Takes it from an annotation.').optional(),
    })
    .describe('MAC address of the link; the first of the three that is given counts.'),
};

const links = z.object({
  ethernets: z
    .array(z.object({ type: z.enum(ETHERNET_TYPES).describe('Kind of the device; phy for a NIC.'), ...link }))
    .describe('NICs.')
    .optional(),
  bonds: z
    .array(
      z.object({
        ...link,
        bondMode: z.enum(BOND_MODES).describe('How the links are used together.'),
        bondXmitHashPolicy: z.enum(BOND_HASH_POLICIES).describe('What decides which link a packet takes.').optional(),
        bondLinks: z.array(z.string()).describe('Ids of the links that are bonded.').optional(),
        parameters: z
          .record(z.string(), z.unknown().meta({ 'x-kubernetes-preserve-unknown-fields': true }))
          .describe('Further parameters of the bond, without bond_ before their names.')
          .optional(),
      }),
    )
    .describe('Several links used as one.')
    .optional(),
  vlans: z
    .array(
      z.object({
        ...link,
        vlanID: integer({ maximum: 4096 }).describe('Number of the VLAN.'),
        vlanLink: z.string().describe('Id of the link that carries the VLAN.'),
      }),
    )
    .describe('VLANs.')
    .optional(),
});

const poolReference = z
  .object({
    name: z.string().describe('Name of the pool.'),
    kind: z.string().describe('Kind of the pool.'),
    apiGroup: z.string().describe('API group of the pool.').optional(),
  })
  .meta({ 'x-kubernetes-map-type': 'atomic' });

const poolAnnotation = fromAnnotation.describe('Annotation that names the pool.');
const dnsFromIPPool = z.string().describe('IPPool whose name servers are added.').optional();

const routes = (address: () => z.ZodString, longestPrefix: number) =>
  z
    .array(
      z.object({
        network: address().describe('Where the route leads to.'),
        prefix: integer({ maximum: longestPrefix })
          .describe('Length of the prefix of that network; 0 when left out.')
          .optional(),
        gateway: z
          .object({
            string: address().describe('The address itself.').optional(),
            fromPoolAnnotation: poolAnnotation.optional(),
            fromPoolRef: poolReference.describe('Pool whose gateway is taken.').optional(),
            fromIPPool: z.string().describe('IPPool whose gateway is taken.').optional(),
          })
          .describe('What the route goes over; the first of the four that is given counts.'),
        services: z
          .object({
            dns: z.array(address()).describe('Addresses of name servers.').optional(),
            dnsFromIPPool,
          })
          .describe('Name servers to be asked over the route.')
          .optional(),
      }),
    )
    .describe('Routes over this network.')
    .optional();

/** What all networks have. */
const network = {
  id: z.string().describe('Name of the network in this configuration.'),
  link: z.string().describe('Id of the link it is on.'),
};

const pooled = {
  ...network,
  fromPoolAnnotation: poolAnnotation.optional(),
  fromPoolRef: poolReference.describe('Pool the address is taken from.').optional(),
};
const ipAddressFromIPPool = z.string().describe('IPPool the address is taken from.');

const v4Routes = routes(ipv4Address, 32);
const v6Routes = routes(ipv6Address, 128);
const v6Dynamic = z.array(z.object({ ...network, routes: v6Routes }));

const networks = z.object({
  ipv4: z
    .array(z.object({ ...pooled, ipAddressFromIPPool: ipAddressFromIPPool.optional(), routes: v4Routes }))
    .describe('IPv4 networks with an address from a pool.')
    .optional(),
  ipv6: z
    .array(z.object({ ...pooled, ipAddressFromIPPool, routes: v6Routes }))
    .describe('IPv6 networks with an address from a pool.')
    .optional(),
  ipv4DHCP: z
    .array(z.object({ ...network, routes: v4Routes }))
    .describe('IPv4 networks with an address from DHCP.')
    .optional(),
  ipv6DHCP: v6Dynamic.describe('IPv6 networks with an address from DHCP.').optional(),
  ipv6SLAAC: v6Dynamic.describe('IPv6 networks with an address the system makes up.').optional(),
});

export const networkDataV1Beta1 = z.object({
  links: links.describe('Devices.').optional(),
  networks: networks.describe('Networks on the devices.').optional(),
  services: z
    .object({ dns: z.array(ipAddress()).describe('Addresses of name servers.').optional(), dnsFromIPPool })
    .describe('Name servers.')
    .optional(),
});
