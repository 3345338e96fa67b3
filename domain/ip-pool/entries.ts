import type { PoolEntry } from './ranges.ts';
import type { Interval } from './taken.ts';

/** An entry that allocates addresses. */
export interface PoolRange {
  readonly entry: PoolEntry;
  readonly interval: Interval;
}

export interface FoundAddress {
  readonly entry: PoolEntry;
  readonly address: bigint;
}

/** The entries of a pool. There may be tens of thousands, and thousands of claims: no claim looks at all of them. */
export interface Entries {
  /** The first entry with this address. */
  entryWith(address: bigint): PoolEntry | undefined;
  /**
   * The first entry in which a free address is found. An entry in which none was found is full, and is not searched
   * again: given addresses do not become free.
   */
  firstFree(find: (interval: Interval) => bigint | undefined): FoundAddress | undefined;
}

export function entriesOf(entries: readonly PoolRange[]): Entries {
  let full = 0;
  let firstWith: ((address: bigint) => number | undefined) | undefined;
  return {
    entryWith(address) {
      firstWith ??= indexByAddress(entries.map(({ interval }) => interval));
      const index = firstWith(address);
      return index === undefined ? undefined : entries[index]?.entry;
    },
    firstFree(find) {
      for (; full < entries.length; full += 1) {
        const found = entries[full];
        const address = found && find(found.interval);
        if (found !== undefined && address !== undefined) return { entry: found.entry, address };
      }
      return undefined;
    },
  };
}

/**
 * Finds the first of the intervals that has an address. The borders of all intervals divide the addresses into
 * sections; each section belongs to the first interval that covers it, and is found by bisection.
 */
function indexByAddress(intervals: readonly Interval[]): (address: bigint) => number | undefined {
  const borders = [...new Set(intervals.flatMap(({ first, last }) => [first, last + 1n]))].toSorted((a, b) =>
    a < b ? -1 : 1,
  );
  /** Index of the last section that begins at the address or before it; -1 when there is none. */
  const sectionOf = (address: bigint): number => {
    let [low, high] = [0, borders.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((borders[middle] ?? 0n) <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };

  const owners: (number | undefined)[] = borders.map(() => undefined);
  /** A section without an owner has itself here; any other has a later one, and those between have owners, too. */
  const next = borders.map((_, section) => section);
  const firstWithoutOwner = (from: number): number => {
    for (let section = from; ; ) {
      const later = next[section] ?? section;
      if (later === section) return section;
      // Halves the way for the next search.
      next[section] = next[later] ?? later;
      section = later;
    }
  };
  for (const [index, { first, last }] of intervals.entries()) {
    const end = sectionOf(last + 1n);
    let section = firstWithoutOwner(sectionOf(first));
    while (section < end) {
      owners[section] = index;
      next[section] = section + 1;
      section = firstWithoutOwner(section);
    }
  }
  return (address) => owners[sectionOf(address)];
}
