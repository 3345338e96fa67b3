import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createKept } from './kept.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('of 2,000 values that nobody uses any more none is kept, and each is handed over once', () => {
  const forgotten: number[] = [];
  const kept = createKept<number>(100, (value) => void forgotten.push(value));
  for (let each = 0; each < 2_000; each++) kept.put(`cluster-${each}`, each);
  expect(kept.size).toBe(2_000);
  vi.advanceTimersByTime(99);
  expect(kept.get('cluster-7')).toBe(7);
  vi.advanceTimersByTime(99);
  expect([kept.size, kept.get('cluster-7')]).toEqual([1, 7]);
  vi.advanceTimersByTime(100);
  expect(kept.size).toBe(0);
  expect(new Set(forgotten).size).toBe(2_000);
  expect(forgotten).toHaveLength(2_000);
});

test('a value that is replaced, deleted or cleared is handed over at once', () => {
  const forgotten: string[] = [];
  const kept = createKept<string>(100, (value) => void forgotten.push(value));
  kept.put('a', 'first');
  kept.put('a', 'second');
  kept.put('b', 'third');
  kept.put('c', 'fourth');
  kept.delete('b');
  expect(forgotten).toEqual(['first', 'third']);
  kept.clear();
  vi.advanceTimersByTime(1_000);
  expect(forgotten).toEqual(['first', 'third', 'second', 'fourth']);
});
