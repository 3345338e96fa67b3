import { describe, expect, test } from 'vitest';
import { approvalKinds } from './kinds.ts';
import { inheritedAnyway, inheritedBy, inheritedValue, isGuarding, neededBy, saidBy, windowsOf } from './policy.ts';

const NAMESPACE = { of: 'Namespace metal', needed: 'erase', window: '0 22 * * 6 4h' };
const inherited = { 'temper/approval-inherited': inheritedValue([NAMESPACE]) ?? '' };

describe('what needs approval', () => {
  test('is everything when more objects ask for it than a host can have', () => {
    const said = (count: number) => Array.from({ length: count }, () => ({ of: 'x', window: '0 0 * * * 1h' }));
    const inherits = (count: number) => inheritedBy({ 'temper/approval-inherited': JSON.stringify(said(count)) });
    expect(inherits(50)).toEqual(said(50));
    expect(inherits(51)).toMatchObject([{ needed: 'all' }]);
  });

  test('is named in a list, or all of it', () => {
    expect(approvalKinds('erase')).toEqual(['erase']);
    expect(approvalKinds('power-off, firmware')).toEqual(['power-off', 'firmware']);
    expect(approvalKinds('all')).toEqual(['erase', 'power-off', 'firmware']);
  });

  test.each(['', 'erase,', 'all,erase', 'wipe'])('is not named by %j', (value) => {
    expect(approvalKinds(value)).toContain('is none of erase, power-off, firmware, all');
  });

  test('is said by the host and by those from which it inherits', () => {
    expect(neededBy({ 'temper/approval': 'power-off', ...inherited }, ['erase', 'power-off'])).toEqual([
      'the host',
      'Namespace metal',
    ]);
    expect(neededBy({ 'temper/approval': 'power-off', ...inherited }, ['firmware'])).toEqual([]);
    expect(windowsOf(inherited)).toMatchObject([{ of: 'Namespace metal', text: '0 22 * * 6 4h' }]);
  });

  test.each([
    { 'temper/approval': 'wipe' },
    { 'temper/approval-inherited': '[' },
    { 'temper/approval-inherited': '[1]' },
  ])('is everything where it can not be read: %j', (annotations) =>
    expect(neededBy(annotations, ['firmware'])).toHaveLength(1),
  );

  test('a window that can not be read is there, and is never open', () => {
    expect(windowsOf({ 'temper/approval-window': 'soon' })).toEqual([
      { of: 'the host', text: 'soon', window: undefined },
    ]);
  });

  test('is what others say, and for what the host asks, while a policy forbids to write it on the host', () => {
    const said = { of: 'Cluster metal/test1', budget: '2' };
    expect(inheritedAnyway([said], {})).toBe(JSON.stringify([said]));
    expect(inheritedAnyway([NAMESPACE], inherited)).toBe(JSON.stringify([NAMESPACE]));
    const asked = { of: 'Namespace metal', needed: 'erase' };
    expect(inheritedAnyway([said], inherited)).toBe(JSON.stringify([said, asked]));
  });

  test('is nothing without an annotation', () => {
    expect(saidBy('x', {})).toBeUndefined();
    expect(inheritedValue([])).toBeNull();
    expect(inheritedBy({})).toEqual([]);
    expect(isGuarding({ 'temper/approval-given': 'x' })).toBe(false);
  });
});
