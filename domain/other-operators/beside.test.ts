import { describe, expect, test } from 'vitest';
import { besideIn, besides, inWords, isLeftAlone, type Signs, withWrite } from './beside.ts';
import { OPERATORS } from './operators.ts';
import { FRESH_MS, type LeaseSeen } from './running.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const [BMO, CAPM3] = OPERATORS;
const LEASE: LeaseSeen = {
  namespace: 'baremetal-operator-system',
  name: BMO.lease,
  holder: 'pod_1',
  renewedAt: NOW - 1_000,
  durationMs: 15_000,
  isTempers: false,
};
const signs = (more: Partial<Signs>): Signs => ({ leases: [], writes: [], placesOf: () => new Set(), ...more });
const seen = (more: Partial<Signs>, operators: Parameters<typeof besides>[0] = OPERATORS) =>
  besides(operators, signs(more), NOW);

describe('an operator beside Temper', () => {
  test('has all objects of its kinds when its Lease is elsewhere', () => {
    const all = seen({ leases: [LEASE] });
    expect(besideIn(all)(BMO.group, 'metal')?.sign).toBe(
      'pod_1 holds the Lease baremetal-operator-system/baremetal-operator',
    );
    expect(besideIn(all)(CAPM3.group, 'metal')).toBeUndefined();
  });

  test('has those of one namespace when its Lease is among them', () => {
    const all = seen({ leases: [{ ...LEASE, namespace: 'metal' }], placesOf: () => new Set(['metal']) });
    expect(besideIn(all)(BMO.group, 'metal')).toBeDefined();
    expect(besideIn(all)(BMO.group, 'other')).toBeUndefined();
  });

  test('has those of the namespace in which it has written a status lately', () => {
    const write = { operator: CAPM3, namespace: 'metal', at: NOW - FRESH_MS + 1 };
    const all = seen({ writes: [write, { ...write, namespace: 'other', at: NOW - FRESH_MS }] });
    expect(all.map(inWords)).toEqual([
      'Temper leaves the object alone: cluster-api-provider-metal3 runs, too, in namespace metal',
    ]);
    expect(besideIn(all)(CAPM3.group, 'metal')).toBeDefined();
    expect(besideIn(all)(BMO.group, 'metal')).toBeUndefined();
  });

  test('is known by its last write in each namespace; old ones, and one in the future, do not count', () => {
    const write = { operator: BMO, namespace: 'metal', at: NOW - 60_000 };
    const known = [write, { ...write, namespace: 'old', at: NOW - FRESH_MS }];
    expect(withWrite(known, { ...write, at: NOW - 90_000 }, NOW)).toEqual([write]);
    expect(withWrite(known, { ...write, at: NOW }, NOW)).toEqual([{ ...write, at: NOW }]);
    expect(withWrite([], { ...write, namespace: 'other' }, NOW)).toEqual([{ ...write, namespace: 'other' }]);
    expect(seen({ writes: [{ ...write, at: NOW + 3_600_000 }] })).toEqual([]);
  });

  test('does not count where Temper does not do its work', () => {
    expect(seen({ leases: [LEASE], writes: [{ operator: BMO, namespace: 'metal', at: NOW }] }, [CAPM3])).toEqual([]);
  });

  test('is told from a pause by people', () => {
    expect(seen({ leases: [LEASE] }).map((each) => isLeftAlone(inWords(each)))).toEqual([true]);
    expect([undefined, '', 'metal3.io/capm3', 'power work'].map(isLeftAlone)).toEqual([false, false, false, false]);
  });
});
