import { isIpv6 } from '../go/ip.ts';

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** True for an IP address or a DNS name: an IPv4 address looks like one, and a wrong one fails when it is called. */
export const isBmcHost = (text: string): boolean =>
  isIpv6(text) || text.split('.').every((label) => DNS_LABEL.test(label));
