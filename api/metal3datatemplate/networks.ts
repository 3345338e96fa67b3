import { z } from 'zod';
import { ipAddress, ipv4Address, ipv6Address } from '../meta/ip-address.ts';
import { keyedList, set } from '../meta/lists.ts';
import { integer, text, word } from '../meta/scalars.ts';
import { fromAnnotation } from './links.ts';
import { POOL_GROUP, POOL_KIND } from './values.ts';

const SUBDOMAIN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';

const poolReference = z.object({
  name: text({ minLength: 1, maxLength: 253, pattern: SUBDOMAIN }).describe('Name of the pool.'),
  kind: text({ minLength: 1, maxLength: 63, pattern: '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$' })
    .describe('Kind of the pool.')
    .default(POOL_KIND),
  apiGroup: text({ minLength: 1, maxLength: 253, pattern: SUBDOMAIN })
    .describe('API group of the pool.')
    .default(POOL_GROUP),
});

const poolAnnotation = fromAnnotation.describe('Annotation that names the pool.');
const dnsFromIPPool = word().describe('IPPool whose name servers are added.').optional();

const routes = (address: () => z.ZodString, longestPrefix: number) =>
  keyedList(
    z
      .object({
        network: address().describe('Where the route leads to.'),
        prefix: integer({ minimum: 0, maximum: longestPrefix, format: 'int32' })
          .describe('Length of the prefix of that network; 0 when left out.')
          .optional(),
        gateway: z
          .object({
            string: address().describe('The address itself.').optional(),
            fromPoolAnnotation: poolAnnotation.optional(),
            fromPoolRef: poolReference.describe('Pool whose gateway is taken.').optional(),
            fromIPPool: word().describe('IPPool whose gateway is taken.').optional(),
          })
          .describe('What the route goes over; the first of the four that is given counts.'),
        services: z
          .object({
            dns: set(address(), { minItems: 1, maxItems: 512 }).describe('Addresses of name servers.').optional(),
            dnsFromIPPool,
          })
          .describe('Name servers to be asked over the route.')
          .optional(),
      })
      .describe('One route.'),
    'network',
  )
    .describe('Routes over this network.')
    .optional();

/** What all networks have. */
const network = {
  id: word().describe('Name of the network in this configuration.'),
  link: word().describe('Id of the link it is on.'),
};

/** An address from a pool, named in one of three ways. */
const pooled = {
  fromPoolAnnotation: poolAnnotation.optional(),
  fromPoolRef: poolReference.describe('Pool the address is taken from.').optional(),
  ipAddressFromIPPool: word().describe('IPPool the address is taken from.').optional(),
};

const v4Routes = routes(ipv4Address, 32);
const v6Routes = routes(ipv6Address, 128);
const v6Dynamic = keyedList(z.object({ ...network, routes: v6Routes }), 'id');

export const networks = z.object({
  ipv4: keyedList(z.object({ ...network, ...pooled, routes: v4Routes }), 'id')
    .describe('IPv4 networks with an address from a pool.')
    .optional(),
  ipv6: keyedList(z.object({ ...network, ...pooled, routes: v6Routes }), 'id')
    .describe('IPv6 networks with an address from a pool.')
    .optional(),
  ipv4DHCP: keyedList(z.object({ ...network, routes: v4Routes }), 'id')
    .describe('IPv4 networks with an address from DHCP.')
    .optional(),
  ipv6DHCP: v6Dynamic.describe('IPv6 networks with an address from DHCP.').optional(),
  ipv6SLAAC: v6Dynamic.describe('IPv6 networks with an address the system makes up.').optional(),
});

export const networkServices = z.object({
  dns: set(ipAddress(), { minItems: 1, maxItems: 512 }).describe('Addresses of name servers.').optional(),
  dnsFromIPPool,
});
