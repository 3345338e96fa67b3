import { z } from 'zod';
import { ipAddress, ipv4Address, ipv6Address } from '../meta/ip-address.ts';
import { boundedText } from '../meta/scalars.ts';
import { V1BETA1, V1BETA2, type Version } from '../meta/versions.ts';
import { fromAnnotation } from './links.ts';
import { POOL_GROUP, POOL_KIND } from './values.ts';

const SUBDOMAIN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';

const servicesOf = ({ text, set }: Version, address: () => z.ZodString) =>
  z.object({
    dns: set(address(), { minItems: 1, maxItems: 512 }).describe('Addresses of name servers.').optional(),
    dnsFromIPPool: text().describe('IPPool whose name servers are added.').optional(),
  });

/** `ofRoute`: what a version adds to the schema of a route. */
const networksOf = <Pool extends z.ZodObject>(version: Version, poolReference: Pool, ofRoute: z.GlobalMeta) => {
  const { text, integer, list } = version;
  const fromPoolAnnotation = fromAnnotation(version).describe('Annotation that names the pool.').optional();
  const routes = (address: () => z.ZodString, longestPrefix: number) =>
    list(
      z
        .object({
          network: address().describe('Destination of the route.'),
          prefix: integer({ minimum: 0, maximum: longestPrefix })
            .describe('Prefix length of the destination; 0 when left out.')
            .optional(),
          gateway: z
            .object({
              string: address().describe('The IP address.').optional(),
              fromPoolAnnotation,
              fromPoolRef: poolReference.describe('Pool whose gateway is used.').optional(),
              fromIPPool: text().describe('IPPool whose gateway is used.').optional(),
            })
            .describe('Gateway of the route; the first source that is set is used.'),
          services: servicesOf(version, address).describe('Name servers for the route.').optional(),
        })
        .meta(ofRoute),
      'network',
    )
      .describe('Routes of this network.')
      .optional();

  /** Fields that all networks have. */
  const network = {
    id: text().describe('Name of the network in this configuration.'),
    link: text().describe('Id of the link of the network.'),
  };
  /** With an address from a pool, which can be named in three ways. */
  const pooled = {
    ...network,
    fromPoolAnnotation,
    fromPoolRef: poolReference.describe('Pool that the address is allocated from.').optional(),
    ipAddressFromIPPool: text().describe('IPPool that the address is allocated from.').optional(),
  };
  const [v4, v6] = [routes(ipv4Address, 32), routes(ipv6Address, 128)];
  const v6Dynamic = list(z.object({ ...network, routes: v6 }), 'id');
  return z.object({
    ipv4: list(z.object({ ...pooled, routes: v4 }), 'id')
      .describe('IPv4 networks with an address from a pool.')
      .optional(),
    ipv6: list(z.object({ ...pooled, routes: v6 }), 'id')
      .describe('IPv6 networks with an address from a pool.')
      .optional(),
    ipv4DHCP: list(z.object({ ...network, routes: v4 }), 'id')
      .describe('IPv4 networks with an address from DHCP.')
      .optional(),
    ipv6DHCP: v6Dynamic.describe('IPv6 networks with an address from DHCP.').optional(),
    ipv6SLAAC: v6Dynamic.describe('IPv6 networks with an address from SLAAC.').optional(),
  });
};

const poolReference = z.object({
  name: boundedText({ minLength: 1, maxLength: 253, pattern: SUBDOMAIN }).describe('Name of the pool.'),
  kind: boundedText({ minLength: 1, maxLength: 63, pattern: '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$' })
    .describe('Kind of the pool.')
    .default(POOL_KIND),
  apiGroup: boundedText({ minLength: 1, maxLength: 253, pattern: SUBDOMAIN })
    .describe('API group of the pool.')
    .default(POOL_GROUP),
});

export const networks = networksOf(V1BETA2, poolReference, { description: 'One route.' });
export const networkServices = servicesOf(V1BETA2, ipAddress);

const olderReference = z
  .object({
    name: z.string().describe('Name of the pool.'),
    kind: z.string().describe('Kind of the pool.'),
    apiGroup: z.string().describe('API group of the pool.').optional(),
  })
  .meta({ 'x-kubernetes-map-type': 'atomic' });

const older = networksOf(V1BETA1, olderReference, {});
const { ipv6 } = older.shape;

export const networksV1Beta1 = older.extend({
  // Only here, a pool is required.
  ipv6: z
    .array(ipv6.unwrap().element.required({ ipAddressFromIPPool: true }))
    .describe('IPv6 networks with an address from a pool.')
    .optional(),
});
export const networkServicesV1Beta1 = servicesOf(V1BETA1, ipAddress);
