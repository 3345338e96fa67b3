import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

const MINUTES = 60_000;

test.each([
  [0, 0.5, 1],
  [1, 1, 2],
  [2, 2, 4],
  [3, 4, 8],
  [4, 8, 16],
  [9, 256, 512],
  [40, 256, 512],
])('after %i failures a host waits more than %f and at most %f minutes', (failures, least, most) => {
  expect(backoff(failures, 0)).toBe(most * MINUTES);
  expect(backoff(failures, 0.999999)).toBeGreaterThan(least * MINUTES);
});
