import { join } from 'node:path';
import { expect, test } from 'vitest';
import { slowest } from './slowest.ts';

const file = (name: string, durationMs: number) => ({
  file: join(process.cwd(), name),
  passed: 1,
  failed: 0,
  skipped: 0,
  durationMs,
});

test('the slowest files are listed first, with their seconds, and no more than asked for', () => {
  const files = [file('a.test.ts', 1_200), file('b.test.ts', 61_000), file('c.test.ts', 400)];
  expect(slowest(files, 2)).toBe('the slowest test files:\n   61.0 s  b.test.ts\n    1.2 s  a.test.ts\n');
});
