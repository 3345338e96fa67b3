import { expect, test } from 'vitest';
import { createRest } from './memory-at-rest.ts';

/** A thread that is looked at every 20 s. `shares`: how much of a core it uses between; returns when it collects. */
function collectionsWith(shares: readonly number[], collectionMs = 0): readonly number[] {
  let now = 0;
  let cpu = 0;
  const collections: number[] = [];
  const look = createRest({
    cpu: () => cpu,
    now: () => now,
    collect: () => {
      collections.push(now / 20_000);
      now += collectionMs;
      cpu += collectionMs;
    },
  });
  for (const share of shares) {
    now += 20_000;
    cpu += 20_000 * share;
    look();
  }
  return collections;
}

test('a thread collects its garbage when it comes to rest after its start', () => {
  expect(collectionsWith([0.9, 0.01])).toEqual([2]);
});

test('a thread at rest collects nothing more', () => {
  expect(collectionsWith([0.01, 0.01, 0, 0.02])).toEqual([1]);
});

test('a thread that works collects nothing', () => {
  expect(collectionsWith([0.9, 0.06, 0.3])).toEqual([]);
});

test('a thread collects once after each time of work', () => {
  expect(collectionsWith([0.9, 0.01, 0.01, 0.2, 0.2, 0.01, 0.01])).toEqual([2, 6]);
});

test('a collection of two seconds is not taken for work', () => {
  expect(collectionsWith([0.9, 0.01, 0.01, 0.01], 2_000)).toEqual([2]);
});
