const HEX_GROUP = /^[0-9a-f]{1,4}$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const GROUPS = 8;

/** True for four decimal numbers without leading zeros. */
export const isIpv4 = (text: string): boolean => IPV4.test(text);

/** True for an IPv6 address without a zone; the last two groups may be written as an IPv4 address. */
export function isIpv6(text: string): boolean {
  const halves = text.split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const endsInIpv4 = halves.at(-1) !== '' && isIpv4(groups.at(-1) ?? '');
  const hexGroups = endsInIpv4 ? groups.slice(0, -1) : groups;
  const count = groups.length + (endsInIpv4 ? 1 : 0);
  return (
    hexGroups.every((group) => HEX_GROUP.test(group)) &&
    (halves.length === 2 ? count < GROUPS : count === GROUPS && halves.length === 1)
  );
}

/** True for the text between the brackets of a URL's host: an IPv6 address, with or without a zone. */
export function isIpLiteral(text: string): boolean {
  const [, address = '', zone] = /^([^%]*)(%.*)?$/s.exec(text) ?? [];
  return isIpv6(address) && zone !== '%';
}
