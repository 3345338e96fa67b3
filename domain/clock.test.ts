import { describe, expect, test } from 'vitest';
import { ageOf, BEFORE_ALL, believed, hasCome } from './clock.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const YEAR = 365 * 86_400_000;

describe('a stored time', () => {
  test.each([
    ['in the past', NOW - 5_000, 5_000],
    ['of now', NOW, 0],
    ['that a clock has written that is slightly ahead', NOW + 30_000, 0],
    ['that a clock has written that is a year ahead', NOW + YEAR, NOW],
    ['that can not be read', Number.NaN, NOW],
  ])('%s', (_, at, age) => {
    expect(ageOf(at, NOW)).toBe(age);
  });

  test('in the future is taken for the oldest of all', () => {
    expect([believed(NOW - 1, NOW), believed(NOW + YEAR, NOW)]).toEqual([NOW - 1, 0]);
  });
});

test('before all times, no stored time is in the future and no wait is over', () => {
  expect([believed(NOW, BEFORE_ALL), ageOf(NOW, BEFORE_ALL)]).toEqual([NOW, 0]);
  expect(hasCome(NOW, BEFORE_ALL, 1)).toBe(false);
});

describe('a stored end of a wait', () => {
  test.each([
    ['that is over', NOW, true],
    ['that is not over', NOW + 300_000, false],
    ['that is further away than the longest wait', NOW + YEAR, true],
  ])('%s', (_, until, expected) => {
    expect(hasCome(until, NOW, 600_000)).toBe(expected);
  });
});
