import { describe, expect, test } from 'vitest';
import { createPace } from './pace.ts';

const { signal } = new AbortController();

describe('the pace of a full resync', () => {
  test('halves when the other side is slow or does not answer, and never stands still', () => {
    const pace = createPace();
    const first = pace.perSecond;
    pace.answered(5_000);
    expect(pace.perSecond).toBe(first / 2);
    pace.failed();
    expect(pace.perSecond).toBe(first / 4);
    for (let times = 0; times < 100; times++) pace.failed();
    expect(pace.perSecond).toBeGreaterThan(0);
  });

  test('rises while answers are quick, up to a limit', () => {
    const pace = createPace();
    for (let times = 0; times < 10_000; times++) pace.answered(5);
    expect(pace.perSecond).toBe(50);
  });

  test('is one for all who take turns', async () => {
    const waits: number[] = [];
    let running = 0;
    let most = 0;
    const pace = createPace(async (ms) => {
      running += 1;
      most = Math.max(most, running);
      waits.push(ms);
      await Promise.resolve();
      running -= 1;
    });
    await Promise.all([pace.turn(signal), pace.turn(signal), pace.turn(signal)]);
    expect({ waits, most }).toEqual({ waits: [50, 50, 50], most: 1 });
  });
});
