import { addressText, parseAddress, parseSubnet } from '../../ip-pool/address.ts';
import type { PoolEntry } from '../../ip-pool/ranges.ts';

/** The largest number of Go's type `int`. */
const MOST_INDEXES = 2n ** 63n - 1n;

/** Why an entry of `spec.pools` is no range; undefined when it is one, also one without an end. */
export function problemOfRange({ start, end, subnet }: PoolEntry): string | undefined {
  const [first, last] = [start, end].map((text) => (text === undefined ? undefined : parseAddress(text)));
  if (start !== undefined && first === undefined) return `invalid Start IP ${JSON.stringify(start)}`;
  if (end !== undefined && last === undefined) return `invalid End IP ${JSON.stringify(end)}`;
  if (subnet !== undefined && parseSubnet(subnet) === undefined)
    return `invalid Subnet ${JSON.stringify(subnet)}: invalid CIDR address: ${subnet}`;
  const isReversed = first !== undefined && last !== undefined && first > last;
  return isReversed ? `end IP ${end ?? ''} is before start IP ${start ?? ''}` : undefined;
}

/** Why addresses of an entry cannot be chosen at random; undefined when they can. The entry must be a range. */
export function problemOfRandom({ start, end, subnet }: PoolEntry): string | undefined {
  const net = subnet === undefined ? undefined : parseSubnet(subnet);
  if (start === undefined) {
    if (net === undefined) return 'either Start or Subnet is required for ipAddress';
    return net.last - net.first > MOST_INDEXES ? TOO_LARGE : undefined;
  }
  const first = parseAddress(start) ?? 0n;
  const last = end === undefined ? net?.last : parseAddress(end);
  if (last === undefined) return 'pool with Start requires End or Subnet to determine size';
  if (first > last) return `end IP ${end ?? addressText(last)} is before start IP ${start}`;
  return last - first + 1n > MOST_INDEXES ? TOO_LARGE : undefined;
}

const TOO_LARGE = 'pool size exceeds int range';
