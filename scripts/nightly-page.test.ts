import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { filesForTheNight } from './at-night.ts';
import { NIGHTLY_PAGE, nightlyPage, rowOf, rowsOf } from './nightly-page.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const AT = { date: '2027-01-15', commit: 'abc', machine: '2 × CPU' };
const result = (file: string, failed = 0, skipped = 0) =>
  rowOf({ file, passed: 3, failed, skipped, durationMs: 90_000 }, AT);

describe('the page with the last nightly results', () => {
  test('has a row for each file with tests for the night', async () => {
    const rows = rowsOf(await readFile(ROOT + NIGHTLY_PAGE, 'utf8'));
    expect((await filesForTheNight()).filter((file) => !rows.has(file))).toEqual([]);
  });

  test('keeps the result of each file', () => {
    const page = nightlyPage(
      new Map([
        ['b', result('b', 1)],
        ['c', result('c', 0, 2)],
        ['a', result('a')],
      ]),
      ['a'],
    );
    expect([...rowsOf(page)]).toEqual([
      ['a', '| `a` | 3 passed | 1.5 min | 2027-01-15 | abc | 2 × CPU |'],
      ['b', '| `b` | **1 failed**, 3 passed | 1.5 min | 2027-01-15 | abc | 2 × CPU |'],
      ['c', '| `c` | 3 passed, 2 skipped | 1.5 min | 2027-01-15 | abc | 2 × CPU |'],
    ]);
  });

  test('says of which file there is no result yet', () => {
    const open = nightlyPage(new Map(), ['new']);
    expect([...rowsOf(open).values()]).toEqual(['| `new` | no result yet | | | | |']);
    const run = nightlyPage(new Map([...rowsOf(open), ['new', result('new')]]), ['new']);
    expect([...rowsOf(run).values()]).toEqual([result('new')]);
  });
});

test('files with tests for the night are whole files, files with single stories, and files that do more at night', async () => {
  const files = await filesForTheNight();
  for (const file of ['e2e/reset-points', 'e2e/outages', 'e2e/nothing-kept', 'nightly/upgrade'])
    expect(files).toContain(`test/${file}.test.ts`);
  expect(files).not.toContain('test/e2e/start.test.ts');
});
