import { describe, expect, test } from 'vitest';
import { isDue, retryOf, withoutTrouble, withTrouble } from './memory.ts';

const NOW = 1_000_000;
const none = { troubles: {} };

describe('a task that failed', () => {
  test('waits longer after each failure, five minutes at most', () => {
    const waits: number[] = [];
    let memory: Parameters<typeof retryOf>[0] = none;
    for (let times = 1; times <= 8; times++) {
      memory = withTrouble(memory, 'a', 'refused', NOW);
      waits.push((retryOf(memory, NOW).until ?? 0) - NOW);
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  });

  test('is due when its wait is over, and others are due all the time', () => {
    const memory = withTrouble(none, 'a', 'refused', NOW);
    expect([isDue(memory, 'a', NOW + 4_999), isDue(memory, 'a', NOW + 5_000)]).toEqual([false, true]);
    expect(isDue(memory, 'b', NOW)).toBe(true);
  });

  test('is waited for no more once it is due, also when nothing has to be done for it any more', () => {
    const memory = withTrouble(withTrouble(none, 'a', 'refused', NOW), 'b', 'refused', NOW + 1);
    expect(retryOf(memory, NOW)).toEqual({ until: NOW + 5_000 });
    expect(retryOf(memory, NOW + 5_000)).toEqual({ until: NOW + 5_001 });
    expect(retryOf(memory, NOW + 5_001)).toEqual({});
  });

  test('begins with a short wait again after it has succeeded', () => {
    const failed = withTrouble(withTrouble(none, 'a', 'refused', NOW), 'a', 'refused', NOW);
    const again = withTrouble(withoutTrouble(failed, 'a'), 'a', 'refused', NOW);
    expect(retryOf(again, NOW)).toEqual({ until: NOW + 5_000 });
  });
});
