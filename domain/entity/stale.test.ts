import { describe, expect, test } from 'vitest';
import { type Staleness, staleAgain, staleInWords } from './stale.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const WHY = 'power: it asks to be powered on';

/** The pauses of a run that learns, right after each pause, that its object still does not ask for its step. */
function pauses(count: number): readonly number[] {
  const found: number[] = [];
  let last: Staleness | undefined;
  for (let now = NOW; found.length < count; now = last.until) {
    last = staleAgain(last, WHY, now);
    found.push((last.until - now) / 1_000);
  }
  return found;
}

describe('a step for which the object does not ask', () => {
  test('begins the run anew at once the first time, and after growing pauses of at most ten minutes', () => {
    expect(pauses(10)).toEqual([0, 5, 10, 20, 40, 80, 160, 320, 600, 600]);
  });

  test.each([
    ['long ago', NOW - 600_001],
    ['in a future in which the clock was once', NOW + 600_001],
  ])('is the first one when the pause before it ended %s', (_, until) => {
    expect(staleAgain({ message: WHY, times: 7, until }, WHY, NOW)).toEqual({ message: WHY, times: 0, until: NOW });
  });

  test('is told with how often the run has begun anew', () => {
    const once = staleAgain(staleAgain(undefined, WHY, NOW), WHY, NOW);
    expect(staleInWords(once)).toBe(`${WHY}: the run has begun anew from the object once in vain, and will again`);
    expect(staleInWords(staleAgain(once, WHY, NOW))).toContain('2 times in vain');
  });
});
