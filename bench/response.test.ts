import { expect, test } from 'vitest';
import { percentiles } from './response.ts';

test('percentiles are those of the nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(percentiles(hundred)).toEqual({ changes: 100, p50: 50, p99: 99, max: 100 });
  expect(percentiles([7])).toEqual({ changes: 1, p50: 7, p99: 7, max: 7 });
});
