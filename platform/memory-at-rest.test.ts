import { expect, test } from 'vitest';
import { createRest } from './memory-at-rest.ts';

interface Between {
  /** How much of a core the thread uses until it is looked at. */
  readonly share: number;
  /** What the process takes then; MB. */
  readonly takes?: number;
}

/**
 * A thread that is looked at every 20 s, in a process of 500 MB of which a collection returns 100. Returns at which
 * looks it collects.
 */
function collectionsOf(shares: readonly (number | Between)[], collectionMs = 0): readonly number[] {
  let now = 0;
  let cpu = 0;
  let takes = 500;
  const collections: number[] = [];
  let looks = 0;
  const look = createRest({
    cpu: () => cpu,
    now: () => now,
    memory: () => takes,
    collect: () => {
      collections.push(looks);
      now += collectionMs;
      cpu += collectionMs;
      takes -= 100;
    },
  });
  for (const between of shares) {
    const { share, takes: grown = 500 } = typeof between === 'number' ? { share: between } : between;
    now += 20_000;
    cpu += 20_000 * share;
    if (share >= 0.05) takes = grown;
    looks += 1;
    look();
  }
  return collections;
}

test('a thread collects its garbage when it comes to rest after its start', () => {
  expect(collectionsOf([0.9, 0.01])).toEqual([2]);
});

test('a thread at rest collects nothing more', () => {
  expect(collectionsOf([0.01, 0.01, 0, 0.02])).toEqual([1]);
});

test('a thread that works collects nothing', () => {
  expect(collectionsOf([0.9, 0.06, 0.3])).toEqual([]);
});

test('a thread collects once after each time of work', () => {
  expect(collectionsOf([0.9, 0.01, 0.01, 0.2, 0.2, 0.01, 0.01])).toEqual([2, 6]);
});

test('a collection of two seconds is not taken for work', () => {
  expect(collectionsOf([0.9, 0.01, 0.01, 0.01], 2_000)).toEqual([2]);
});

test('a process of less than 300 MB keeps its garbage and its compiled code', () => {
  expect(collectionsOf([{ share: 0.9, takes: 299 }, 0.01, { share: 0.9, takes: 300 }, 0.01])).toEqual([4]);
});

test('a process that has grown by less than a quarter since the last time keeps them too', () => {
  const worked = (takes: number): Between => ({ share: 0.9, takes });
  expect(collectionsOf([worked(500), 0.01, worked(499), 0.01, worked(500), 0.01])).toEqual([2, 6]);
});
