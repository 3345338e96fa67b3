/** Netmasks in Go's notation. */

const V4_BITS = 32;
const V6_BITS = 128;
const V6_GROUPS = 8;

/** Dotted, for example 255.255.255.0. '' when the prefix is unknown. */
export function netmaskV4(prefix: number | undefined): string {
  if (prefix === undefined) return '';
  // Go's text for an impossible mask: an address with too few bytes.
  if (prefix < 0 || prefix > V4_BITS) return '?00000000000000000000ffff';
  return parts(prefix, 4, 8).join('.');
}

/** For example `ffff:ffff:ffff:ffff::`. '' when the prefix is unknown. */
export function netmaskV6(prefix: number | undefined): string {
  if (prefix === undefined) return '';
  if (prefix < 0 || prefix > V6_BITS) return '<nil>';
  const groups = parts(prefix, V6_GROUPS, 16).map((group) => group.toString(16));
  const set = groups.filter((group) => group !== '0');
  // A single group of zeros is not abbreviated.
  return groups.length - set.length < 2 ? groups.join(':') : `${set.join(':')}::`;
}

/** Splits the mask into `count` groups of `bits` bits. */
const parts = (prefix: number, count: number, bits: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => {
    const ones = Math.min(Math.max(prefix - index * bits, 0), bits);
    return 2 ** bits - 2 ** (bits - ones);
  });
