import { z } from 'zod';
import { ipAddress, ipv4Address, ipv6Address } from '../meta/ip-address.ts';
import { boundedText, integer } from '../meta/scalars.ts';
import { BOND_HASH_POLICIES, BOND_MODES, DATA_OBJECTS, DEVICE_NAME_PATTERN, ETHERNET_TYPES } from './values.ts';

const fromAnnotation = z.object({
  object: z.enum(DATA_OBJECTS).describe('Object to read from: machine, metal3machine or baremetalhost.'),
  annotation: z.string().describe('Name of the annotation.'),
});

/** Fields that all links have. */
const link = {
  id: z.string().describe('Name of the link in this configuration; networks refer to it.'),
  name: boundedText({ maxLength: 15, pattern: DEVICE_NAME_PATTERN })
    .describe('Name of the device in the deployed system.')
    .optional(),
  mtu: integer({ maximum: 9000 }).describe('MTU in bytes.').default(1500),
  macAddress: z
    .object({
      string: z.string().describe('The MAC address.').optional(),
      fromHostInterface: z
        .string()
        .describe('Uses the MAC address of the NIC of this name, as inspection reported it.')
        .optional(),
      fromAnnotation: fromAnnotation.describe('Uses the MAC address in an annotation.').optional(),
    })
    .describe('MAC address of the link; the first source that is set is used.'),
};

const links = z.object({
  ethernets: z
    .array(z.object({ type: z.enum(ETHERNET_TYPES).describe('Type of the device; phy for a NIC.'), ...link }))
    .describe('NICs.')
    .optional(),
  bonds: z
    .array(
      z.object({
        ...link,
        bondMode: z.enum(BOND_MODES).describe('Bonding mode.'),
        bondXmitHashPolicy: z
          .enum(BOND_HASH_POLICIES)
          .describe('Hash policy that selects the link for a packet.')
          .optional(),
        bondLinks: z.array(z.string()).describe('Ids of the bonded links.').optional(),
        parameters: z
          .record(z.string(), z.unknown().meta({ 'x-kubernetes-preserve-unknown-fields': true }))
          .describe('Further parameters of the bond, named without the prefix bond_.')
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
        network: address().describe('Destination of the route.'),
        prefix: integer({ maximum: longestPrefix })
          .describe('Prefix length of the destination; 0 when left out.')
          .optional(),
        gateway: z
          .object({
            string: address().describe('The IP address.').optional(),
            fromPoolAnnotation: poolAnnotation.optional(),
            fromPoolRef: poolReference.describe('Pool whose gateway is used.').optional(),
            fromIPPool: z.string().describe('IPPool whose gateway is used.').optional(),
          })
          .describe('Gateway of the route; the first source that is set is used.'),
        services: z
          .object({
            dns: z.array(address()).describe('Addresses of name servers.').optional(),
            dnsFromIPPool,
          })
          .describe('Name servers for the route.')
          .optional(),
      }),
    )
    .describe('Routes of this network.')
    .optional();

/** Fields that all networks have. */
const network = {
  id: z.string().describe('Name of the network in this configuration.'),
  link: z.string().describe('Id of the link of the network.'),
};

const pooled = {
  ...network,
  fromPoolAnnotation: poolAnnotation.optional(),
  fromPoolRef: poolReference.describe('Pool that the address is allocated from.').optional(),
};
const ipAddressFromIPPool = z.string().describe('IPPool that the address is allocated from.');

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
  ipv6SLAAC: v6Dynamic.describe('IPv6 networks with an address from SLAAC.').optional(),
});

export const networkDataV1Beta1 = z.object({
  links: links.describe('Devices.').optional(),
  networks: networks.describe('Networks of the links.').optional(),
  services: z
    .object({ dns: z.array(ipAddress()).describe('Addresses of name servers.').optional(), dnsFromIPPool })
    .describe('Name servers.')
    .optional(),
});
