import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entriesOf, type PoolRange } from './entries.ts';
import { addressSet, type Interval } from './taken.ts';

const few = fc.bigInt({ min: 0n, max: 20n });
const interval = fc.tuple(few, few).map(([a, b]) => (a < b ? { first: a, last: b } : { first: b, last: a }));
const intervals = fc.array(interval, { maxLength: 8 });
const entryAt = (one: Interval, at: number): PoolRange => ({ entry: { prefix: at }, interval: one });
/** Entries whose intervals count how often they are read. */
function counted(length: number, intervalAt: (at: number) => Interval): { entries: PoolRange[]; reads: () => number } {
  let reads = 0;
  const entries = Array.from({ length }, (_, at) => {
    const { first, last } = intervalAt(at);
    const read = (address: bigint): bigint => {
      reads += 1;
      return address;
    };
    const one = {
      get first() {
        return read(first);
      },
      get last() {
        return read(last);
      },
    };
    return entryAt(one, at);
  });
  return { entries, reads: () => reads };
}

describe('the entry of an address', () => {
  test('is the first one that has it', () => {
    fc.assert(
      fc.property(intervals, (all) => {
        const entries = entriesOf(all.map(entryAt));
        for (let address = 0n; address <= 22n; address += 1n) {
          const at = all.findIndex(({ first, last }) => first <= address && address <= last);
          expect(entries.entryWith(address)?.prefix).toBe(at === -1 ? undefined : at);
        }
      }),
    );
  });

  test('is found without reading the entries again', () => {
    const { entries, reads } = counted(1_000, (at) => ({ first: BigInt(at), last: BigInt(2_000 - at) }));
    const found = entriesOf(entries);
    expect(found.entryWith(1_000n)?.prefix).toBe(0);
    const before = reads();
    for (let address = 0n; address <= 2_000n; address += 1n) found.entryWith(address);
    expect(reads()).toBe(before);
  });

  test('is found among 30,000 that overlap, in any order', () => {
    const all = Array.from({ length: 30_000 }, (_, at) => ({ first: BigInt(30_000 - at), last: BigInt(30_000 + at) }));
    const entries = entriesOf(all.map(entryAt));
    const found = [1n, 30_000n, 45_000n, 59_999n, 60_000n].map((address) => entries.entryWith(address)?.prefix);
    expect(found).toEqual([29_999, 0, 15_000, 29_999, undefined]);
  });
});

describe('the first free address', () => {
  test('is that of the first entry with one, while addresses are taken', () => {
    fc.assert(
      fc.property(intervals, fc.array(few, { maxLength: 12 }), (all, others) => {
        const entries = entriesOf(all.map(entryAt));
        const taken = addressSet([]);
        for (const other of others) {
          const free = all.map((one) => taken.firstFree(one));
          const at = free.findIndex((address) => address !== undefined);
          const found = entries.firstFree((one) => taken.firstFree(one));
          expect(found && { at: found.entry.prefix, address: found.address }).toEqual(
            at === -1 ? undefined : { at, address: free[at] },
          );
          taken.add(found?.address ?? other);
          taken.add(other);
        }
      }),
    );
  });

  test('is not looked for again in entries that are full, however many claims ask', () => {
    const entries = entriesOf(Array.from({ length: 1_000 }, (_, at) => entryAt({ first: 1n, last: 1n }, at)));
    let searches = 0;
    for (let claim = 0; claim < 1_000; claim += 1) {
      const found = entries.firstFree(() => {
        searches += 1;
        return undefined;
      });
      expect(found).toBeUndefined();
    }
    expect(searches).toBe(1_000);
  });
});
