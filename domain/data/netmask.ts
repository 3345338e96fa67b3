/** Netmasks as Go writes them. */

const V4_BITS = 32;
const V6_BITS = 128;
const V6_GROUPS = 8;

/** Dotted, for example 255.255.255.0. '' when no prefix is known. */
export function netmaskV4(prefix: number | undefined): string {
  if (prefix === undefined) return '';
  // What Go makes of a mask that can't be: an address of too few bytes.
  if (prefix < 0 || prefix > V4_BITS) return '?00000000000000000000ffff';
  return parts(prefix, 4, 8).join('.');
}

/** For example `ffff:ffff:ffff:ffff::`. '' when no prefix is known. */
export function netmaskV6(prefix: number | undefined): string {
  if (prefix === undefined) return '';
  if (prefix < 0 || prefix > V6_BITS) return '<nil>';
  const groups = parts(prefix, V6_GROUPS, 16).map((group) => group.toString(16));
  const set = groups.filter((group) => group !== '0');
  // A lone group of zeros is written out.
  return groups.length - set.length < 2 ? groups.join(':') : `${set.join(':')}::`;
}

/** The mask in so many parts of so many bits. */
const parts = (prefix: number, count: number, bits: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => {
    const ones = Math.min(Math.max(prefix - index * bits, 0), bits);
    return 2 ** bits - 2 ** (bits - ones);
  });
