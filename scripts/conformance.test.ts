import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { conformanceProblems, PAGES, readConformance } from './conformance.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const fileOf = (name: string): string | undefined =>
  existsSync(`${ROOT}/${name}`) ? readFileSync(`${ROOT}/${name}`, 'utf8') : undefined;

const page = (...rows: readonly string[]): string => ['| Id | Fact | Pinned by |', '|---|---|---|', ...rows].join('\n');
const FILES: Readonly<Record<string, string>> = {
  'a.test.ts': "test('is so', …)",
  'test/cases.yaml': 'cases:\n  - name: a case of it\n    data: {}\n',
};
const problemsIn = (...rows: readonly string[]): readonly string[] =>
  conformanceProblems(readConformance(page(...rows)), (file) => FILES[file]);

describe('the pages of conformance', () => {
  test.each(PAGES)('%s has a test or a reason for every fact', (page) => {
    const conformance = readConformance(fileOf(page) ?? '');
    expect(conformance.facts.length).toBeGreaterThan(0);
    expect(conformanceProblems(conformance, fileOf)).toEqual([]);
  });
});

describe('the check of it', () => {
  test('accepts a case by its whole name', () => {
    expect(
      problemsIn('| 1-1 | a | `test/cases.yaml` › a case of it |', '| 1-2 | b | `test/cases.yaml` › a case |'),
    ).toEqual(['1-2: test/cases.yaml has no case named "a case"']);
  });
  test('accepts a test by words of its name, several of them, and each kind of reason', () => {
    expect(
      problemsIn(
        '| 2.5-1 | a | `a.test.ts` › is so |',
        '| 2.5-2 | b | a.test.ts › is so<br>C1 |',
        '| 2.5-3 | c | later: HostFirmwareSettings |',
        '| 3.1-1 | d \\| e | unseen: a log line |',
        '| C1 | f | g |',
      ),
    ).toEqual([]);
  });
  test('takes the last column of a page that has one more', () => {
    expect(
      problemsIn('| s-1.2-1 | a | as it is now | `a.test.ts` › is so |', '| s-1.2-2 | b | `a.test.ts` › is so | |'),
    ).toEqual(['s-1.2-2: neither a test nor a reason']);
  });
  test('reads a page whose ids have a mark', () => {
    expect(problemsIn('| m3-2.4-1 | a | m3-C1 |', '| m3-2.4-3 | b | later: x |', '| m3-C1 | c | d |')).toEqual([
      'm3-2.4-3: expected m3-2.4-2 here',
    ]);
  });
  test.each([
    ['a fact without a pin', '| 1-1 | a | |', '1-1: neither a test nor a reason'],
    ['a file that is not there', '| 1-1 | a | b.test.ts › is so |', '1-1: there is no b.test.ts'],
    ['a file of cases that is not there', '| 1-1 | a | b/cases.yaml › is so |', '1-1: there is no b/cases.yaml'],
    ['a test that is not there', '| 1-1 | a | a.test.ts › is not |', '1-1: a.test.ts has no test named "is not"'],
    ['a difference that is not there', '| 1-1 | a | C9 |', '1-1: there is no row C9'],
    ['what is not done yet', '| 1-1 | a | N9 |', '1-1: "N9" is neither a test nor a reason'],
    ['any other words', '| 1-1 | a | trust me |', '1-1: "trust me" is neither a test nor a reason'],
    ['a gap in the numbers', '| 1-2 | a | unseen: x |', '1-2: expected 1-1 here'],
  ])('finds %s', (_, row, problem) => {
    expect(problemsIn(row)).toEqual([problem]);
  });
  test('finds an id that was given twice', () => {
    expect(problemsIn('| C1 | a | b |', '| C1 | c | d |')).toEqual(['C1: given twice']);
  });
});
