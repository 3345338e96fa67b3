import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddress } from './address.ts';
import { addressSet, packed, unpacked } from './taken.ts';

const few = fc.bigInt({ min: 0n, max: 20n });
const interval = fc.tuple(few, few).map(([a, b]) => (a < b ? { first: a, last: b } : { first: b, last: a }));

describe('a set of addresses', () => {
  test('is that of its intervals and of what was added', () => {
    fc.assert(
      fc.property(
        fc.array(interval, { maxLength: 4 }),
        fc.array(few),
        interval,
        (intervals, added, { first, last }) => {
          const taken = addressSet(intervals);
          const naive = new Set<bigint>(added);
          for (const one of intervals) for (let each = one.first; each <= one.last; each += 1n) naive.add(each);
          for (const each of added) taken.add(each);
          let free: bigint | undefined;
          for (let each = last; each >= first; each -= 1n) {
            expect(taken.has(each)).toBe(naive.has(each));
            if (!naive.has(each)) free = each;
          }
          expect(taken.firstFree({ first, last })).toBe(free);
        },
      ),
    );
  });

  test('has nothing free in an empty interval', () => {
    expect(addressSet([]).firstFree({ first: 2n, last: 1n })).toBeUndefined();
  });

  test('is written in as many texts as it has gaps', () => {
    const texts = ['10.0.0.3', '10.0.0.1', '10.0.0.2', '10.0.0.9', 'fd00::1', 'fd00::2'];
    const written = packed(texts.flatMap((text) => parseAddress(text) ?? []));
    expect(written).toEqual(['10.0.0.1-10.0.0.3', '10.0.0.9', 'fd00::1-fd00::2']);
    expect(packed(unpacked(written).flatMap(({ first, last }) => [first, last]))).toEqual([
      '10.0.0.1',
      '10.0.0.3',
      '10.0.0.9',
      'fd00::1-fd00::2',
    ]);
    expect(unpacked(['nonsense', '10.0.0.1-x'])).toEqual([]);
  });
});
