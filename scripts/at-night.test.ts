import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { AT_NIGHT } from './at-night.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('a test file that is left to the nightly run', () => {
  test.each(Object.entries(AT_NIGHT))('%s exists, and something smaller of it is tested by day', (file, byDay) => {
    expect([file, ...byDay].filter((one) => !existsSync(ROOT + one))).toEqual([]);
    expect(byDay.filter((one) => one in AT_NIGHT)).toEqual([]);
    expect(byDay).not.toEqual([]);
  });
});
