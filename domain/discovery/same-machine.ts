import { isV4, parseAddress } from '../ip-pool/address.ts';

/** What tells a machine from others. */
export interface MachineIdentity {
  /** The MAC address that it boots from, in lower case; '' when it is not known. */
  readonly bootMac: string;
  /** MAC addresses of its hardware, in lower case. */
  readonly macs: readonly string[];
  /** Addresses of its BMC, as anybody has written them; without host names. */
  readonly bmcAddresses: readonly string[];
}

/**
 * True for two machines that share MAC addresses and are different nevertheless: some vendors give the same address to
 * the USB network interface of each server. Their boot MAC addresses must be known, and neither may be an address of the
 * other machine; their BMCs must have different addresses, of the same family.
 */
export function areDifferent(one: MachineIdentity, other: MachineIdentity): boolean {
  if (one.bootMac === '' || other.bootMac === '' || one.bootMac === other.bootMac) return false;
  if (one.macs.includes(other.bootMac) || other.macs.includes(one.bootMac)) return false;
  const bmcs = bmcsOf(one);
  const others = bmcsOf(other);
  if (bmcs.some((bmc) => others.includes(bmc))) return false;
  return [true, false].some((v4) => [bmcs, others].every((all) => all.some((bmc) => isV4(bmc) === v4)));
}

/** Addresses of its BMC that are IP addresses. */
export const bmcsOf = ({ bmcAddresses }: MachineIdentity): readonly bigint[] =>
  bmcAddresses.flatMap((text) => parseAddress(text) ?? []);

/** A key for the address of a BMC: the same for all spellings of one IP address or host name. */
export const bmcKey = (text: string): string => String(parseAddress(text) ?? text.toLowerCase());
