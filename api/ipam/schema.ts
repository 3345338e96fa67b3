import { z } from 'zod';
import { ipAddress, ipSubnet } from '../meta/ip-address.ts';
import { anyObject } from '../meta/object-meta.ts';
import type { DeepReadonly } from '../meta/readonly.ts';
import { objectReference } from '../meta/references.ts';
import { boundedText, integer, time } from '../meta/scalars.ts';

const prefix = integer({ maximum: 128 });
const dnsServers = z.array(ipAddress().describe('Address of a name server.'));

const range = z
  .object({
    start: ipAddress().describe('First address.').optional(),
    end: ipAddress().describe('Last address; by default the last one of the subnet.').optional(),
    subnet: ipSubnet().describe('Network of the addresses, for example 192.168.0.0/24.').optional(),
    prefix: prefix.describe('Prefix length of the addresses.').optional(),
    gateway: ipAddress().describe('Gateway for the addresses.').optional(),
    dnsServers: dnsServers.describe('Name servers for the addresses.').optional(),
  })
  .describe('A range of addresses: from start to end, or a subnet.');

export const ipPoolSpec = z
  .object({
    namePrefix: boundedText({ minLength: 1 }).describe('Prefix of the names of the IPAddresses. Immutable.'),
    clusterName: z.string().describe('Cluster that the pool belongs to.').optional(),
    pools: z.array(range).describe('Ranges of addresses, used in this order.').optional(),
    preAllocations: z
      .record(z.string(), ipAddress())
      .describe('Addresses reserved for claims, by name of the claim.')
      .optional(),
    prefix: prefix.describe('Prefix length for ranges without one.').optional(),
    gateway: ipAddress().describe('Gateway for ranges without one.').optional(),
    dnsServers: dnsServers.describe('Name servers for ranges without any.').optional(),
    allocationStrategy: z
      .enum(['sequential', 'random'])
      .describe('Whether the lowest free address is allocated, or a random one. Immutable.')
      .default('sequential'),
  })
  .describe('Number of addresses in the pool.');

export const ipPoolStatus = z
  .object({
    lastUpdated: time().describe('Time at which the status was last updated.').optional(),
    indexes: z.record(z.string(), ipAddress()).describe('Allocated addresses, by name of the claim.').optional(),
  })
  .describe('Allocated addresses.');

/** An IPPool as read from the API server. */
export const ipPool = anyObject.extend({ spec: ipPoolSpec, status: ipPoolStatus.optional() });
export type IpPool = DeepReadonly<z.infer<typeof ipPool>>;

export const ipClaimSpec = z
  .object({ pool: objectReference.describe('IPPool to allocate from.') })
  .describe('The request.');

export const ipClaimStatus = z
  .object({
    address: objectReference.describe('IPAddress that was allocated.').optional(),
    errorMessage: z.string().describe('Why no address was allocated.').optional(),
  })
  .describe('Result of the request.');

/** An IPClaim as read from the API server. */
export const ipClaim = anyObject.extend({ spec: ipClaimSpec, status: ipClaimStatus.optional() });
export type IpClaim = DeepReadonly<z.infer<typeof ipClaim>>;

export const ipAddressSpec = z
  .object({
    address: ipAddress().describe('The address.'),
    claim: objectReference.describe('IPClaim that the address is allocated to.'),
    pool: objectReference.describe('IPPool that the address belongs to.'),
    prefix: prefix.describe('Prefix length.').optional(),
    gateway: ipAddress().describe('Its gateway.').optional(),
    dnsServers: dnsServers.describe('Name servers.').optional(),
  })
  .describe('An allocated address.');

/** An IPAddress as read from the API server. */
export const ipAddressObject = anyObject.extend({ spec: ipAddressSpec });
export type IpAddress = DeepReadonly<z.infer<typeof ipAddressObject>>;
