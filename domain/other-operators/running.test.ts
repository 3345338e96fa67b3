import { describe, expect, test } from 'vitest';
import { OPERATORS } from './operators.ts';
import { FRESH_MS, freshWrite, isHeldByAnother, type LeaseSeen, type ManagedEntry } from './running.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const [BMO] = OPERATORS;
const at = (agoMs: number): string => new Date(NOW - agoMs).toISOString();

const aLease = (more: Partial<LeaseSeen> = {}): LeaseSeen => ({
  namespace: 'baremetal-operator-system',
  name: BMO.lease,
  holder: 'pod_1',
  renewedAt: NOW - 2_000,
  durationMs: 15_000,
  isTempers: false,
  ...more,
});
const anEntry = (more: Partial<ManagedEntry> = {}): ManagedEntry => ({
  manager: BMO.manager,
  subresource: 'status',
  time: at(10_000),
  ...more,
});

describe('another operator runs', () => {
  test('while its Lease is renewed', () => {
    expect(isHeldByAnother(aLease(), NOW)).toBe(true);
  });

  test.each<[string, Partial<LeaseSeen>]>([
    ['is older than its duration', { renewedAt: NOW - 15_001 }],
    ['is older than five minutes, whatever its duration', { renewedAt: NOW - FRESH_MS - 1, durationMs: 1e12 }],
    ['was released', { holder: '' }],
    ['was never renewed', { renewedAt: Number.NaN }],
    ['was renewed far in the future, by a wrong clock', { renewedAt: NOW + 3_600_000 }],
    ['is that of a bridge', { isTempers: true }],
  ])('but not when the Lease %s', (_, more) => {
    expect(isHeldByAnother(aLease(more), NOW)).toBe(false);
  });

  test('when its Lease was renewed between two looks, although its clock is minutes behind', () => {
    const lease = aLease({ renewedAt: NOW - 300_000 });
    expect(isHeldByAnother(lease, NOW, NOW - 310_000)).toBe(true);
    expect(isHeldByAnother(lease, NOW, lease.renewedAt)).toBe(false);
    expect(isHeldByAnother({ ...lease, holder: '' }, NOW, NOW - 310_000)).toBe(false);
    expect(isHeldByAnother({ ...lease, isTempers: true }, NOW, NOW - 310_000)).toBe(false);
  });

  test('when it has written a status lately; the newest write counts', () => {
    const entries = [anEntry({ time: at(60_000) }), anEntry(), anEntry({ time: at(FRESH_MS * 2) })];
    expect(freshWrite(entries, BMO, NOW)).toBe(NOW - 10_000);
  });

  test.each<[string, Partial<ManagedEntry>]>([
    ['is an old one', { time: at(FRESH_MS) }],
    ['is of another program', { manager: 'kubectl-edit' }],
    ['is of Temper', { manager: 'temper' }],
    ['is of the spec', { subresource: '' }],
    ['has no time', { time: '' }],
    ['is in the future, by a wrong clock', { time: at(-3_600_000) }],
  ])('but not when the write %s', (_, more) => {
    expect(freshWrite([anEntry(more)], BMO, NOW)).toBeUndefined();
  });
});
