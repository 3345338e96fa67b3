import { z } from 'zod';
import { ipAddress, ipSubnet } from '../meta/ip-address.ts';
import { objectMeta } from '../meta/object-meta.ts';
import { objectReference } from '../meta/references.ts';
import { integer, text, time } from '../meta/scalars.ts';

const prefix = integer({ maximum: 128 });
const dnsServers = z.array(ipAddress().describe('Address of a name server.'));

const range = z
  .object({
    start: ipAddress().describe('First address.').optional(),
    end: ipAddress().describe('Last address; the last of the subnet when left out.').optional(),
    subnet: ipSubnet().describe('Network the addresses are in, for example 192.168.0.0/24.').optional(),
    prefix: prefix.describe('Length of the prefix of the addresses.').optional(),
    gateway: ipAddress().describe('Gateway of the addresses.').optional(),
    dnsServers: dnsServers.describe('Name servers of the addresses.').optional(),
  })
  .describe('A range of addresses: from start to end, or a subnet.');

export const ipPoolSpec = z
  .object({
    namePrefix: text({ minLength: 1 }).describe('What the names of the IPAddresses begin with. Can not be changed.'),
    clusterName: z.string().describe('Cluster the pool is part of.').optional(),
    pools: z.array(range).describe('Ranges of addresses, used in this order.').optional(),
    preAllocations: z
      .record(z.string(), ipAddress())
      .describe('Addresses that are kept for the claims of these names.')
      .optional(),
    prefix: prefix.describe('Length of the prefix, for ranges that say none.').optional(),
    gateway: ipAddress().describe('Gateway, for ranges that name none.').optional(),
    dnsServers: dnsServers.describe('Name servers, for ranges that name none.').optional(),
    allocationStrategy: z
      .enum(['sequential', 'random'])
      .describe('Whether the lowest free address is given or any. Can not be changed.')
      .default('sequential'),
  })
  .describe('Addresses there are.');

export const ipPoolStatus = z
  .object({
    lastUpdated: time().describe('When the status was last worked out.').optional(),
    indexes: z
      .record(z.string(), ipAddress())
      .describe('Addresses that are taken, by the names of the claims that have them.')
      .optional(),
  })
  .describe('Addresses that are taken.');

/** An IPPool as read from the API server. */
export const ipPool = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: objectMeta,
  spec: ipPoolSpec,
  status: ipPoolStatus.optional(),
});

export const ipClaimSpec = z
  .object({ pool: objectReference.describe('IPPool the address is to come from.') })
  .describe('What is asked for.');

export const ipClaimStatus = z
  .object({
    address: objectReference.describe('IPAddress that was given.').optional(),
    errorMessage: z.string().describe('Why none was given.').optional(),
  })
  .describe('What was given.');

/** An IPClaim as read from the API server. */
export const ipClaim = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: objectMeta,
  spec: ipClaimSpec,
  status: ipClaimStatus.optional(),
});

export const ipAddressSpec = z
  .object({
    address: ipAddress().describe('The address.'),
    claim: objectReference.describe('IPClaim it was given to.'),
    pool: objectReference.describe('IPPool it comes from.'),
    prefix: prefix.describe('Length of its prefix.').optional(),
    gateway: ipAddress().describe('Its gateway.').optional(),
    dnsServers: dnsServers.describe('Its name servers.').optional(),
  })
  .describe('An address that is taken.');

/** An IPAddress as read from the API server. */
export const ipAddressObject = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: objectMeta,
  spec: ipAddressSpec,
});
