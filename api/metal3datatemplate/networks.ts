import { z } from 'zod';
import { ipAddress, ipv4Address, ipv6Address } from '../meta/ip-address.ts';
import { keyedList, set } from '../meta/lists.ts';
import { boundedText, integer, word } from '../meta/scalars.ts';
import { fromAnnotation } from './links.ts';
import { POOL_GROUP, POOL_KIND } from './values.ts';

const SUBDOMAIN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';

const poolReference = z.object({
  name: boundedText({ minLength: 1, maxLength: 253, pattern: SUBDOMAIN }).describe('Name of the pool.'),
  kind: boundedText({ minLength: 1, maxLength: 63, pattern: '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$' })
    .describe('Kind of the pool.')
    .default(POOL_KIND),
  apiGroup: boundedText({ minLength: 1, maxLength: 253, pattern: SUBDOMAIN })
    .describe('API group of the pool.')
    .default(POOL_GROUP),
});

const poolAnnotation = fromAnnotation.describe('Annotation that names the pool.');
const dnsFromIPPool = word().describe('IPPool whose name servers are added.').optional();

const routes = (address: () => z.ZodString, longestPrefix: number) =>
  keyedList(
    z
      .object({
        network: address().describe('Destination of the route.'),
        prefix: integer({ minimum: 0, maximum: longestPrefix, format: 'int32' })
          .describe('Prefix length of the destination; 0 when left out.')
          .optional(),
        gateway: z
          .object({
            string: address().describe('The IP address.').optional(),
            fromPoolAnnotation: poolAnnotation.optional(),
            fromPoolRef: poolReference.describe('Pool whose gateway is used.').optional(),
            fromIPPool: word().describe('IPPool whose gateway is used.').optional(),
          })
          .describe('Gateway of the route; the first source that is set is used.'),
        services: z
          .object({
            dns: set(address(), { minItems: 1, maxItems: 512 }).describe('Addresses of name servers.').optional(),
            dnsFromIPPool,
          })
          .describe('Name servers for the route.')
          .optional(),
      })
      .describe('One route.'),
    'network',
  )
    .describe('Routes of this network.')
    .optional();

/** Fields that all networks have. */
const network = {
  id: word().describe('Name of the network in this configuration.'),
  link: word().describe('Id of the link of the network.'),
};

/** An address from a pool. The pool can be named in three ways. */
const pooled = {
  fromPoolAnnotation: poolAnnotation.optional(),
  fromPoolRef: poolReference.describe('Pool that the address is allocated from.').optional(),
  ipAddressFromIPPool: word().describe('IPPool that the address is allocated from.').optional(),
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
  ipv6SLAAC: v6Dynamic.describe('IPv6 networks with an address from SLAAC.').optional(),
});

export const networkServices = z.object({
  dns: set(ipAddress(), { minItems: 1, maxItems: 512 }).describe('Addresses of name servers.').optional(),
  dnsFromIPPool,
});
