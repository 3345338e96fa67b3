import { CLUSTER_IPAM, IPAM } from '../groups.ts';
import { FOLLOWED, type Kind, READ_IN_CACHE } from '../kind.ts';
import { DATA_FINALIZER } from '../metal3data/kind.ts';

export const POOL_FINALIZER = 'ippool.ipam.metal3.io';

/** Our finalizers on a claim and on its IPAddress. */
export const ADDRESS_FINALIZERS = {
  IPClaim: { claim: 'ipclaim.ipam.metal3.io', address: 'ipaddress.ipam.metal3.io' },
  IPAddressClaim: { claim: 'ipam.metal3.io/ipaddressclaim', address: 'ipam.metal3.io/ipaddress' },
} as const;

export const ipPool = {
  kind: 'IPPool',
  apiVersion: IPAM,
  plural: 'ippools',
  workflow: { type: 'ipPoolWorkflow', controller: 'addresses', hasLongTasks: true },
  finalizers: [POOL_FINALIZER],
  rights: { 'bridge-addresses': FOLLOWED, 'workers-addresses': { object: ['get', 'patch'] } },
} as const satisfies Kind;

export const ipClaim = {
  kind: 'IPClaim',
  apiVersion: IPAM,
  plural: 'ipclaims',
  finalizers: [ADDRESS_FINALIZERS.IPClaim.claim, DATA_FINALIZER],
  rights: {
    bridge: READ_IN_CACHE,
    'bridge-addresses': READ_IN_CACHE,
    // The data of machines claim addresses.
    workers: { object: ['create', 'delete', 'get', 'list', 'patch'] },
    'workers-addresses': { object: ['get', 'list', 'patch'], status: ['patch'] },
  },
} as const satisfies Kind;

export const ipAddress = {
  kind: 'IPAddress',
  apiVersion: IPAM,
  plural: 'ipaddresses',
  finalizers: [ADDRESS_FINALIZERS.IPClaim.address],
  rights: {
    bridge: READ_IN_CACHE,
    'bridge-addresses': READ_IN_CACHE,
    workers: { object: ['get'] },
    'workers-addresses': { object: ['create', 'delete', 'get', 'list', 'patch'] },
  },
} as const satisfies Kind;

/** The kinds of Cluster API's contract, which stand beside those of Metal3. */
export const ipAddressClaim = {
  kind: 'IPAddressClaim',
  apiVersion: CLUSTER_IPAM,
  plural: 'ipaddressclaims',
  finalizers: [ADDRESS_FINALIZERS.IPAddressClaim.claim, DATA_FINALIZER],
} as const satisfies Kind;

export const clusterIpAddress = {
  kind: 'IPAddress',
  apiVersion: CLUSTER_IPAM,
  plural: 'ipaddresses',
  finalizers: [ADDRESS_FINALIZERS.IPAddressClaim.address],
} as const satisfies Kind;
