import { expect, test } from 'vitest';
import { residentMb } from './memory.ts';

test('resident memory is in megabytes', () => {
  expect(residentMb('Name:\tnode\nVmHWM:\t  900000 kB\nVmRSS:\t  500000 kB\nThreads:\t11\n')).toBe(512);
});

test('a process that has ended has none', () => {
  expect(residentMb('')).toBeUndefined();
});
