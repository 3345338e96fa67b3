import { withoutEnd } from '../without-end.ts';
import { addressText } from './address.ts';

/** Labels, names and texts of pools and of the addresses in them. */

/** The two kinds of address claims: Metal3's, and that of Cluster API's contract. */
export type ClaimKind = 'IPClaim' | 'IPAddressClaim';

/** On a claim of either kind: the address that it asks for. */
export const REQUESTED_ADDRESS = 'ipAddress';

export const PROVIDER_LABEL = { key: 'cluster.x-k8s.io/provider', value: 'ipam-metal3' } as const;

/** What claims show. */
export const EXHAUSTED = 'Exhausted IP Pools';
export const NOT_CREATED = 'Failed to create associated IPAddress object';
export const NOT_READ = 'Failed to get associated IPAddress object';
export const NOT_DELETED = 'Failed to delete associated IPAddress object';

/** Reason of an Event, and of the condition Ready of an IPAddressClaim: Cluster API's word for it. */
export const POOL_NOT_READY = 'PoolNotReady';
/** `pool`: `<namespace>/<name>`. */
export const poolMissing = (pool: string): string =>
  `IPPool ${pool} does not exist. The claim gets an address when somebody creates it`;

/** The name of the IPAddress for an address of the pool with this prefix. */
export const addressName = (namePrefix: string, address: bigint): string =>
  withoutEnd(`${namePrefix}-${dashed(address)}`, '-');

const dashed = (address: bigint): string => addressText(address).replaceAll(/[.:]/g, '-');

/** The prefix in the name of an IPAddress; undefined when it is not named after its address. */
export function prefixInName(name: string, address: bigint): string | undefined {
  const suffix = addressName('', address);
  return suffix !== '' && name.length > suffix.length && name.endsWith(suffix)
    ? name.slice(0, -suffix.length)
    : undefined;
}
