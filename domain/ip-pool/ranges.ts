import type { IpPool } from '../../api/ipam/schema.ts';
import { contains, LAST_ADDRESS, lastOfFamily, parseAddress, parseSubnet } from './address.ts';
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
 * The addresses that an entry permits, which is what validation asks; undefined when there are none. Wider than
 * `intervalOf`: the first address of a subnet counts, and `start` or `end` alone is a limit of both families.
 */
export function permittedBy({ start, end, subnet }: PoolEntry): Interval | undefined {
  if (start === undefined && end === undefined && subnet === undefined) return undefined;
  const net = subnet === undefined ? undefined : parseSubnet(subnet);
  const [first, last] = [start, end].map((text) => (text === undefined ? undefined : parseAddress(text)));
  if ((subnet !== undefined && net === undefined) || (start !== undefined && first === undefined)) return undefined;
  if (end !== undefined && last === undefined) return undefined;
  return filled({
    first: [first, net?.first].reduce<bigint>(
      (high, other) => (other !== undefined && other > high ? other : high),
      0n,
    ),
    last: least(LAST_ADDRESS, last, net?.last),
  });
}
