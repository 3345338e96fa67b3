import { addressText, parseAddress } from './address.ts';

/** All addresses from the first to the last. */
export interface Interval {
  readonly first: bigint;
  readonly last: bigint;
}

/** Addresses in sorted intervals that neither overlap nor touch. */
export interface AddressSet {
  has(address: bigint): boolean;
  /** The lowest address of an interval that is not in the set. */
  firstFree(within: Interval): bigint | undefined;
  add(address: bigint): void;
}

/** A set of addresses: 10,000 in a row take as much room as one. */
export function addressSet(intervals: readonly Interval[]): AddressSet {
  const sorted = merged(intervals);

  /** Index of the first interval that ends at the address or after it. */
  const indexOf = (address: bigint): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const interval = sorted[middle];
      if (interval !== undefined && interval.last < address) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const around = (address: bigint): Interval | undefined => {
    const found = sorted[indexOf(address)];
    return found !== undefined && found.first <= address ? found : undefined;
  };

  return {
    has: (address) => around(address) !== undefined,
    firstFree({ first, last }) {
      if (first > last) return undefined;
      const free = (around(first)?.last ?? first - 1n) + 1n;
      return free <= last ? free : undefined;
    },
    add(address) {
      const at = indexOf(address);
      const [before, after] = [sorted[at - 1], sorted[at]];
      if (after !== undefined && after.first <= address) return;
      const joinsBefore = before !== undefined && before.last === address - 1n;
      const joinsAfter = after !== undefined && after.first === address + 1n;
      const interval = { first: joinsBefore ? before.first : address, last: joinsAfter ? after.last : address };
      sorted.splice(at - Number(joinsBefore), Number(joinsBefore) + Number(joinsAfter), interval);
    },
  };
}

function merged(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { first, last } of intervals.toSorted((a, b) => (a.first < b.first ? -1 : Number(a.first > b.first)))) {
    const before = result.at(-1);
    if (before === undefined || before.last + 1n < first) result.push({ first, last });
    else if (before.last < last) result[result.length - 1] = { first: before.first, last };
  }
  return result;
}

/** As texts for a message: `10.0.0.1`, or `10.0.0.1-10.0.0.9` for several in a row. */
export const packed = (addresses: Iterable<bigint>): readonly string[] =>
  merged([...addresses].map((address) => ({ first: address, last: address }))).map(({ first, last }) =>
    first === last ? addressText(first) : `${addressText(first)}-${addressText(last)}`,
  );

/** Texts that are no addresses are left out. */
export const unpacked = (texts: readonly string[]): readonly Interval[] =>
  texts.flatMap((text) => {
    const [from = '', to = from] = text.split('-');
    const [first, last] = [parseAddress(from), parseAddress(to)];
    return first === undefined || last === undefined ? [] : [{ first, last }];
  });
