import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { AT_NIGHT, storiesAtNight } from './at-night.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const missingOf = (files: readonly string[]): readonly string[] => files.filter((one) => !existsSync(ROOT + one));
const stories = await storiesAtNight();

describe('a test file that is left to the nightly run', () => {
  test.each(Object.entries(AT_NIGHT))('%s exists, and something smaller of it is tested by day', (file, byDay) => {
    expect(missingOf([file, ...byDay])).toEqual([]);
    expect(byDay.filter((one) => one in AT_NIGHT)).toEqual([]);
    expect(byDay).not.toEqual([]);
  });
});

describe('stories that are left to the nightly run', () => {
  test.each([...stories])('of %s name a file that tests something smaller by day', (file, byDay) => {
    expect(missingOf(byDay)).toEqual([]);
    expect([file, ...byDay].filter((one) => one in AT_NIGHT)).toEqual([]);
  });

  test('are found', () => {
    expect(stories.get('test/e2e/machines.test.ts')).toContain('domain/data/examine.test.ts');
  });
});
