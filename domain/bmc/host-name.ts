import { isIpv6 } from '../go/ip.ts';

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** True for an IP address or a DNS name. A malformed IPv4 address counts as a name and fails when it is used. */
export const isBmcHost = (text: string): boolean =>
  isIpv6(text) || text.split('.').every((label) => DNS_LABEL.test(label));
