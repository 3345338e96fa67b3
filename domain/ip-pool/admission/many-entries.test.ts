import fc from 'fast-check';
import { expect, test } from 'vitest';
import { problemText } from '../../admission/field-problem.ts';
import { addressText, contains, parseAddress, parseSubnet } from '../address.ts';
import type { PoolEntry } from '../ranges.ts';
import { ipPoolRules } from './ippool.ts';

const OTHERS = { metadata: { name: 'lan', namespace: 'metal' }, annotations: {}, status: {} };
const preAllocated = (addresses: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(addresses.map((address, at) => [`claim-${at}`, address]));
/** The preallocations that a new IPPool is refused because no entry permits them. */
const refusedOf = (pools: readonly PoolEntry[], addresses: readonly string[]): readonly unknown[] =>
  ipPoolRules
    .created({ ...OTHERS, spec: { pools: [...pools], preAllocations: preAllocated(addresses) } })
    .flatMap((problem) =>
      typeof problem === 'object' && problem.detail === 'is out of bonds of the pools given' ? [problem.value] : [],
    );

/** What one entry says of one address. */
function permits({ start, end, subnet }: PoolEntry, text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined || (start === undefined && end === undefined && subnet === undefined)) return false;
  const first = start === undefined ? 0n : parseAddress(start);
  const last = end === undefined ? address : parseAddress(end);
  const net = subnet === undefined ? { first: address, last: address } : parseSubnet(subnet);
  if (first === undefined || last === undefined || net === undefined) return false;
  return first <= address && address <= last && contains(net, address);
}

const V4 = 0xffff_0a00_0000n;
const address = fc.oneof(
  fc.bigInt({ min: V4, max: V4 + 20n }).map(addressText),
  fc.bigInt({ min: 0n, max: 5n }).map(addressText),
  fc.constantFrom('x', '', '255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
);
const subnet = fc.constantFrom('10.0.0.0/29', '10.0.0.9/30', '10.0.0.16/28', '::/126', '::/0', 'x');
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const entry = fc
  .record({ start: maybe(address), end: maybe(address), subnet: maybe(subnet) })
  .map((given) => JSON.parse(JSON.stringify(given)) as PoolEntry);

test('the preallocations of an IPPool are permitted together as by its entries one by one', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), fc.array(address, { maxLength: 8 }), (pools, addresses) => {
      expect(refusedOf(pools, addresses)).toEqual(addresses.filter((text) => !pools.some((one) => permits(one, text))));
    }),
  );
});

test('the entries of an IPPool are read as often for a thousand preallocations as for one', () => {
  const readsFor = (count: number): number => {
    let reads = 0;
    const pools = Array.from({ length: 10 }, (_, at) => ({
      get start() {
        reads += 1;
        return `10.0.0.${at}`;
      },
    }));
    refusedOf(
      pools,
      Array.from({ length: count }, (_, at) => addressText(BigInt(at))),
    );
    return reads;
  };
  expect(readsFor(1_000)).toBe(readsFor(1));
});

test('an IPPool of 20,000 entries and as many preallocations is judged', () => {
  const pools = Array.from({ length: 20_000 }, (_, at) => ({
    start: addressText(V4 + 2n * BigInt(at)),
    end: addressText(V4 + 2n * BigInt(at)),
  }));
  const addresses = Array.from({ length: 20_000 }, (_, at) => addressText(V4 + BigInt(at)));
  expect(refusedOf(pools, addresses)).toHaveLength(10_000);
  const problems = ipPoolRules.changed(
    { ...OTHERS, status: { indexes: Object.fromEntries(addresses.entries()) }, spec: { pools } },
    { ...OTHERS, spec: { pools: [{ start: '10.0.0.1' }] } },
  );
  expect(problems.map((problem) => (typeof problem === 'string' ? problem : problemText(problem)))).toEqual([
    'spec.pools: Invalid value: "10.0.0.0": is in use but out of bounds of the pools given',
  ]);
});
