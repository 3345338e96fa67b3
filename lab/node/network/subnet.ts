import { addressText, isV4, parseAddress, parseSubnet, type Subnet } from '../../../domain/ip-pool/address.ts';

/** The network data is wrong: a real machine would not be reached, so that it would never become a Node. */
export class WrongNetworkData extends Error {
  override readonly name = 'WrongNetworkData';
}

export function addressIn(text: string, what: string): bigint {
  const [bare = '', prefix] = text.split('/');
  const address = parseAddress(bare);
  if (address === undefined || prefix !== undefined)
    throw new WrongNetworkData(`${what} ${quoted(text)} is no address`);
  return address;
}

/** Reads a netmask: `255.255.255.0`, `ffff:ffff:ffff:ffff::`. */
export function prefixOf(netmask: string, what: string): number {
  const mask = parseAddress(netmask);
  if (mask === undefined) throw new WrongNetworkData(`${what} ${quoted(netmask)} is no netmask`);
  const bits = isV4(mask) ? 32 : 128;
  const digits = (isV4(mask) ? mask & 0xffff_ffffn : mask).toString(2).padStart(bits, '0');
  const prefix = digits.lastIndexOf('1') + 1;
  if (digits.slice(0, prefix).includes('0')) throw new WrongNetworkData(`${what} ${quoted(netmask)} is no netmask`);
  return prefix;
}

export function subnetOf(address: bigint, prefix: number): Subnet {
  const text = `${addressText(address)}/${prefix}`;
  const subnet = parseSubnet(text);
  if (subnet === undefined) throw new WrongNetworkData(`${text} is no subnet`);
  return subnet;
}

/** Routers announce themselves by such an address, whatever the subnet is. */
export const isLinkLocal = (address: bigint): boolean => address >> 118n === 0xfe80n >> 6n;

export const quoted = (text: string): string => (text === '' ? '""' : text);
