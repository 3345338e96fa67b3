import type { IpPool } from '../../api/ipam/types.ts';
import { contains, lastOfFamily, parseAddress, parseSubnet } from './address.ts';
import type { Interval } from './taken.ts';

/** The part of a pool's spec that addresses are allocated by; preallocations are looked up for each claim. */
export type PoolSpec = Omit<IpPool['spec'], 'preAllocations'>;
export type PoolEntry = NonNullable<PoolSpec['pools']>[number];

/** The addresses that an entry of `spec.pools` allocates; undefined when there are none. */
export function intervalOf({ start, end, subnet }: PoolEntry): Interval | undefined {
  const net = subnet === undefined ? undefined : parseSubnet(subnet);
  if (subnet !== undefined && net === undefined) return undefined;
  const last = end === undefined ? undefined : parseAddress(end);
  if (end !== undefined && last === undefined) return undefined;
  if (start === undefined) {
    // As upstream: from the address after the one that is written, to the end of the subnet, whatever `end` is.
    return net && filled({ first: net.written + 1n, last: net.last });
  }
  const first = parseAddress(start);
  if (first === undefined || (net !== undefined && !contains(net, first))) return undefined;
  return filled({ first, last: least(lastOfFamily(first), last, net?.last) });
}

const filled = (interval: Interval): Interval | undefined => (interval.first <= interval.last ? interval : undefined);

const least = (one: bigint, ...others: readonly (bigint | undefined)[]): bigint =>
  others.reduce<bigint>((low, other) => (other !== undefined && other < low ? other : low), one);

/**
 * True when an entry permits the address, which is what validation asks. Wider than `intervalOf`: the first address of
 * a subnet counts, and `end` alone is a limit.
 */
export function permits({ start, end, subnet }: PoolEntry, address: bigint): boolean {
  if (start === undefined && end === undefined && subnet === undefined) return false;
  const net = subnet === undefined ? undefined : parseSubnet(subnet);
  const [first, last] = [start, end].map((text) => (text === undefined ? undefined : parseAddress(text)));
  if ((subnet !== undefined && net === undefined) || (start !== undefined && first === undefined)) return false;
  if (end !== undefined && last === undefined) return false;
  const isInNet = net === undefined || contains(net, address);
  return isInNet && (first === undefined || first <= address) && (last === undefined || address <= last);
}
