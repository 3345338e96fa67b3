import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { conformanceOf, conformanceProblems, differencesIn, readDifferences } from './conformance.ts';
import { FACT_PAGES, parseFactPage, readFactPage } from './facts/fact-page.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const fileOf = (name: string): string | undefined =>
  existsSync(`${ROOT}/${name}`) ? readFileSync(`${ROOT}/${name}`, 'utf8') : undefined;

const FILES: Readonly<Record<string, string>> = {
  'a.test.ts': "test('is so', …)",
  'test/cases.yaml': 'cases:\n  - name: a case of it\n    data: {}\n',
};
/** A fact with its id and its pins. */
type Row = readonly [id: string, ...pins: readonly string[]];
const problemsIn = (rows: readonly Row[], differences: readonly string[] = []): readonly string[] =>
  conformanceProblems(
    conformanceOf(
      { sections: [{ title: 'a', facts: rows.map(([id, ...pins]) => ({ id, fact: 'a', pins: [...pins] })) }] },
      differences,
    ),
    (file) => FILES[file],
  );

describe('the facts', () => {
  const differences = readDifferences();
  const pages = FACT_PAGES.map((name) => ({ name, ...conformanceOf(readFactPage(name), differences) }));

  test.each(pages)('of $name have a test or a reason, each', (page) => {
    expect(page.facts.length).toBeGreaterThan(0);
    expect(conformanceProblems(page, fileOf)).toEqual([]);
  });

  test('have no id twice', () => {
    const ids = pages.flatMap(({ facts }) => facts.map(({ id }) => id));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('and differences of all pages are found', () => {
    expect(differences).toEqual(expect.arrayContaining(['C1', 'm3-C1', 'ip-C1', 'ma-C1', 'ma-N3']));
  });
});

describe('a page of facts', () => {
  const page = (facts: string): string =>
    `title: a\nabout: b\ncolumns: [c]\nsections:\n  - title: d\n    facts: ${facts}\n`;

  test('is read', () => {
    expect(parseFactPage(page("[{ id: 1-1, fact: 'so | it is', pins: [C1] }]")).sections[0]?.facts).toEqual([
      { id: '1-1', fact: 'so | it is', pins: ['C1'] },
    ]);
  });
  test.each([
    ['an id of another form', '[{ id: one, fact: a, pins: [] }]', 'Invalid string'],
    ['a field that there is not', '[{ id: 1-1, fact: a, pin: a, pins: [] }]', 'Unrecognized key'],
  ])('is refused for %s', (_, facts, why) => {
    expect(() => parseFactPage(page(facts))).toThrow(why);
  });
});

describe('the rows of differences of a page', () => {
  test('are those that begin with an id', () => {
    expect(differencesIn('| Id | a |\n|---|---|\n| C1 | b |\n| m3-N2 | c |\n| 1-1 | d |\nC9')).toEqual(['C1', 'm3-N2']);
  });
});

describe('the check of pins', () => {
  test('accepts a case by its whole name', () => {
    expect(
      problemsIn([
        ['1-1', 'test/cases.yaml › a case of it'],
        ['1-2', 'test/cases.yaml › a case'],
      ]),
    ).toEqual(['1-2: test/cases.yaml has no case named "a case"']);
  });
  test('accepts a test by words of its name, several of them, and each kind of reason', () => {
    expect(
      problemsIn(
        [
          ['2.5-1', 'a.test.ts › is so'],
          ['2.5-2', 'a.test.ts › is so', 'C1'],
          ['2.5-3', 'later: HostFirmwareSettings'],
          ['3.1-1', 'unseen: a log line'],
        ],
        ['C1'],
      ),
    ).toEqual([]);
  });
  test('reads a page whose ids have a mark', () => {
    expect(
      problemsIn(
        [
          ['m3-2.4-1', 'm3-C1'],
          ['m3-2.4-3', 'later: x'],
        ],
        ['m3-C1'],
      ),
    ).toEqual(['m3-2.4-3: expected m3-2.4-2 here']);
  });
  test.each<[string, Row, string]>([
    ['a fact without a pin', ['1-1'], '1-1: neither a test nor a reason'],
    ['a file that is not there', ['1-1', 'b.test.ts › is so'], '1-1: there is no b.test.ts'],
    ['a file of cases that is not there', ['1-1', 'b/cases.yaml › is so'], '1-1: there is no b/cases.yaml'],
    ['a test that is not there', ['1-1', 'a.test.ts › is not'], '1-1: a.test.ts has no test named "is not"'],
    ['a difference that is not there', ['1-1', 'C9'], '1-1: there is no row C9'],
    ['what is not done yet', ['1-1', 'N9'], '1-1: "N9" is neither a test nor a reason'],
    ['any other words', ['1-1', 'trust me'], '1-1: "trust me" is neither a test nor a reason'],
    ['a gap in the numbers', ['1-2', 'unseen: x'], '1-2: expected 1-1 here'],
  ])('finds %s', (_, row, problem) => {
    expect(problemsIn([row])).toEqual([problem]);
  });
  test('finds a difference that was given twice', () => {
    expect(problemsIn([], ['C1', 'C1'])).toEqual(['C1: given twice']);
  });
});
