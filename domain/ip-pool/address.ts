import { isIpv4, isIpv6 } from '../go/ip.ts';

/**
 * Addresses of both families as numbers of 128 bits, as Go compares them: an IPv4 address is the IPv6 address
 * `::ffff:a.b.c.d`.
 */

const MAPPED = 0xffff_0000_0000n;
const LAST_MAPPED = 0xffff_ffff_ffffn;
/** The highest address. */
export const LAST_ADDRESS = (1n << 128n) - 1n;
const V4_BITS = 32;
const V6_BITS = 128;
const GROUPS = 8;

export const isV4 = (address: bigint): boolean => address >= MAPPED && address <= LAST_MAPPED;

/** The highest address of the same family. */
export const lastOfFamily = (address: bigint): bigint => (isV4(address) ? LAST_MAPPED : LAST_ADDRESS);

/** undefined when the text is no address. */
export function parseAddress(text: string): bigint | undefined {
  if (isIpv4(text)) return MAPPED + parseV4(text);
  return isIpv6(text) ? parseV6(text) : undefined;
}

const parseV4 = (text: string): bigint => text.split('.').reduce((all, part) => (all << 8n) | BigInt(part), 0n);

function parseV6(text: string): bigint {
  const lastColon = text.lastIndexOf(':');
  const tail = text.slice(lastColon + 1);
  if (isIpv4(tail)) {
    const v4 = parseV4(tail);
    return parseV6(`${text.slice(0, lastColon + 1)}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`);
  }
  const [before = '', after] = text.split('::');
  const head = groupsIn(before);
  const rest = after === undefined ? [] : groupsIn(after);
  const zeros = Array.from({ length: GROUPS - head.length - rest.length }, () => '0');
  return BigInt(`0x${[...head, ...zeros, ...rest].map((group) => group.padStart(4, '0')).join('')}`);
}

const groupsIn = (text: string): readonly string[] => (text === '' ? [] : text.split(':'));

/** The text that Go writes: in lower case, with the first of the longest runs of zero groups left out. */
export function addressText(address: bigint): string {
  if (isV4(address)) return [24n, 16n, 8n, 0n].map((shift) => String((address >> shift) & 0xffn)).join('.');
  const groups = Array.from({ length: GROUPS }, (_, at) => (address >> BigInt(112 - 16 * at)) & 0xffffn);
  const texts = groups.map((group) => group.toString(16));
  const { at, length } = longestZeros(groups);
  if (length < 2) return texts.join(':');
  return `${texts.slice(0, at).join(':')}::${texts.slice(at + length).join(':')}`;
}

function longestZeros(groups: readonly bigint[]): { readonly at: number; readonly length: number } {
  let best = { at: 0, length: 0 };
  let begin = 0;
  for (let end = 0; end <= groups.length; end += 1) {
    if (groups[end] === 0n) continue;
    if (end - begin > best.length) best = { at: begin, length: end - begin };
    begin = end + 1;
  }
  return best;
}

export interface Subnet {
  /** The address as it is written, which may be any address of the subnet. */
  readonly written: bigint;
  readonly first: bigint;
  readonly last: bigint;
}

export const contains = ({ first, last }: Omit<Subnet, 'written'>, address: bigint): boolean =>
  first <= address && address <= last;

/** Reads `192.168.0.0/24`; undefined when it is no subnet. */
export function parseSubnet(text: string): Subnet | undefined {
  const [, host = '', digits = ''] = /^([^/]*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const written = parseAddress(host);
  if (written === undefined) return undefined;
  const bits = isIpv4(host) ? V4_BITS : V6_BITS;
  const prefix = Number(digits);
  if (prefix > bits) return undefined;
  const size = 1n << BigInt(bits - prefix);
  const first = written - (written % size);
  return { written, first, last: first + size - 1n };
}
