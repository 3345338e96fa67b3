import { describe, expect, test } from 'vitest';
import { isMostlyMissed, mustBeReached, type Point, pointsOf, type Sent, whyMissed } from './points.ts';

const sent = (bridge: readonly string[], workers: readonly string[] = []): Sent => ({ bridge, workers });

describe('the points at which a process is killed', () => {
  test('are before and after each write that was made without kills', () => {
    expect(pointsOf([sent(['PATCH status'], ['POST claim'])])).toEqual([
      { sender: 'bridge', kind: 'PATCH status', nth: 1, side: 'before' },
      { sender: 'bridge', kind: 'PATCH status', nth: 1, side: 'after' },
      { sender: 'workers', kind: 'POST claim', nth: 1, side: 'before' },
      { sender: 'workers', kind: 'POST claim', nth: 1, side: 'after' },
    ]);
  });

  test('are only writes that all hosts made, in whatever order', () => {
    const one = sent(['PATCH status', 'POST event', 'PATCH status', 'PATCH finalizer']);
    const other = sent(['POST event', 'PATCH status', 'PATCH status', 'PATCH status']);
    expect(pointsOf([one, other]).filter(({ side }) => side === 'after')).toEqual([
      { sender: 'bridge', kind: 'PATCH status', nth: 1, side: 'after' },
      { sender: 'bridge', kind: 'POST event', nth: 1, side: 'after' },
      { sender: 'bridge', kind: 'PATCH status', nth: 2, side: 'after' },
    ]);
  });
});

describe('a point that no host reached', () => {
  const second: Point = { sender: 'bridge', kind: 'PATCH status', nth: 2, side: 'after' };

  test('has a reason', () => {
    expect(whyMissed(second, sent(['PATCH status']))).toMatch(/only 1 of them/);
    expect(whyMissed(second, sent([]))).toMatch(/none of them/);
    expect(whyMissed(second, sent(['PATCH status', 'PATCH status']))).toMatch(/no answer/);
  });

  test('fails the test when it is the first write of its kind', () => {
    expect(mustBeReached({ ...second, nth: 1 })).toBe(true);
    expect(mustBeReached(second)).toBe(false);
  });

  test('does not fail it when not every host sends such a write', () => {
    for (const kind of ['POST events', 'PUT nodes/states/provision provide'])
      expect(mustBeReached({ ...second, kind, nth: 1 })).toBe(false);
  });
});

test('a run that missed more points than it reached is not enough', () => {
  expect(isMostlyMissed({ killed: ['a'], missed: ['b'] })).toBe(false);
  expect(isMostlyMissed({ killed: ['a'], missed: ['b', 'c'] })).toBe(true);
  expect(isMostlyMissed({ killed: [], missed: ['a'] })).toBe(true);
});
