const IPV4_PART = /^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
const DNS_LABEL = /^[a-z0-9_][a-z0-9_-]{0,62}$/i;

/** True for an IP address or a DNS name (underscores allowed, as some labs have them). */
export const isBmcHost = (text: string): boolean => isIpv6(text) || isDnsName(text);

/** Names of digits and dots alone pass too: an IPv4 address is one of them, and a wrong one fails when it is called. */
function isDnsName(text: string): boolean {
  if (text.length > 253) return false;
  return text
    .replace(/\.$/, '')
    .split('.')
    .every((label) => DNS_LABEL.test(label));
}

/** Eight groups of hex digits, `::` once for a run of zeros, the last two possibly an IPv4 address. */
export function isIpv6(text: string): boolean {
  if (!text.includes(':')) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half, index) => countGroups(half, index === halves.length - 1));
  const total = groups.reduce<number>((sum, count) => sum + (count ?? Number.NaN), 0);
  return halves.length === 2 ? total <= 7 : total === 8;
}

/** undefined when a group is malformed; an IPv4 tail counts as two groups. */
function countGroups(half: string, isTail: boolean): number | undefined {
  if (half === '') return 0;
  const groups = half.split(':');
  const last = groups.at(-1) ?? '';
  const ipv4 = isTail && last.includes('.');
  const hex = ipv4 ? groups.slice(0, -1) : groups;
  if (!hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  if (!ipv4) return groups.length;
  const parts = last.split('.');
  return parts.length === 4 && parts.every((part) => IPV4_PART.test(part)) ? hex.length + 2 : undefined;
}
