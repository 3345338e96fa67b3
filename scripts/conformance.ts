import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DIFFERENCE_ID, FACT_PAGES, type FactPage, readFactPage } from './facts/fact-page.ts';

/**
 * What pins each fact of `test/facts/`. A fact is what users of an upstream project observe, or what is promised; its
 * pins are tests, cases of a test, or reasons of three kinds.
 */
export interface Fact {
  /** Stable: section and number, `2.5-3`; on another project's page with that project's prefix, `m3-2.5-3`. */
  readonly id: string;
  readonly text: string;
  readonly pins: readonly Pin[];
}

export type Pin =
  /** `path › words of the test's name` */
  | { readonly kind: 'test'; readonly file: string; readonly name: string }
  /** `path/cases.yaml › name`: one of the cases of a test, by its complete name. */
  | { readonly kind: 'case'; readonly file: string; readonly name: string }
  /** A row of the tables of differences: `C7` is intended, `m3-N3` is missing. */
  | { readonly kind: 'difference'; readonly row: string }
  /** `later: HostFirmwareSettings`: belongs to a kind that is not supported yet. */
  | { readonly kind: 'later'; readonly what: string }
  /** `unseen: why`: users cannot observe it. */
  | { readonly kind: 'unseen'; readonly why: string }
  | { readonly kind: 'unknown'; readonly text: string };

export interface Conformance {
  readonly facts: readonly Fact[];
  /** Ids of the rows of the tables of differences. */
  readonly differences: readonly string[];
}

/** The page with the differences of BareMetalHosts. Those of the other kinds are on their pages of facts. */
const DIFFERENCES_PAGE = 'docs/conformance.md';

/** The facts of a page. Its pins may name the differences of every page. */
export const conformanceOf = (
  { sections }: Pick<FactPage, 'sections'>,
  differences: readonly string[],
): Conformance => ({
  facts: sections.flatMap(({ facts }) =>
    facts.map(({ id, fact, pins }) => ({ id, text: fact, pins: pins.map(readPin) })),
  ),
  differences,
});

/** The ids of the rows of all tables of differences. */
export const readDifferences = (): readonly string[] => [
  ...differencesIn(readFileSync(fileURLToPath(new URL(`../${DIFFERENCES_PAGE}`, import.meta.url)), 'utf8')),
  ...FACT_PAGES.flatMap((name) => readFactPage(name).differences.flatMap(({ rows }) => rows.map(({ id }) => id))),
];

export const differencesIn = (markdown: string): readonly string[] =>
  markdown.split('\n').flatMap((line) => {
    const [, id = ''] = /^\| (\S+) \|/.exec(line) ?? [];
    return DIFFERENCE_ID.test(id) ? [id] : [];
  });

function readPin(text: string): Pin {
  if (DIFFERENCE_ID.test(text)) return { kind: 'difference', row: text };
  const [, reason, what = ''] = /^(later|unseen): (.+)$/.exec(text) ?? [];
  if (reason === 'later') return { kind: 'later', what };
  if (reason === 'unseen') return { kind: 'unseen', why: what };
  const [file = '', name = ''] = text.split(' › ');
  if (name === '') return { kind: 'unknown', text };
  if (file.endsWith('.test.ts')) return { kind: 'test', file, name };
  return file.endsWith('/cases.yaml') ? { kind: 'case', file, name } : { kind: 'unknown', text };
}

/** The problems of a page; `read` returns the text of a file of the repository, undefined when it does not exist. */
export function conformanceProblems(
  { facts, differences }: Conformance,
  read: (file: string) => string | undefined,
): readonly string[] {
  return [...twice(differences), ...numbering(facts), ...facts.flatMap((fact) => pinProblems(fact, differences, read))];
}

const twice = (ids: readonly string[]): readonly string[] =>
  ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: given twice`);

/** Ids are never reused: within a section they count from 1 without gaps. */
function numbering(facts: readonly Fact[]): readonly string[] {
  const last = new Map<string, number>();
  return facts.flatMap(({ id }) => {
    const [, section = '', number = ''] = /^(.+)-(\d+)$/.exec(id) ?? [];
    const expected = (last.get(section) ?? 0) + 1;
    last.set(section, Number(number));
    return Number(number) === expected ? [] : [`${id}: expected ${section}-${expected} here`];
  });
}

function pinProblems(
  { id, pins }: Fact,
  differences: readonly string[],
  read: (file: string) => string | undefined,
): readonly string[] {
  if (pins.length === 0) return [`${id}: neither a test nor a reason`];
  return pins.flatMap((pin) => {
    switch (pin.kind) {
      case 'test': {
        const text = read(pin.file);
        if (text === undefined) return [`${id}: there is no ${pin.file}`];
        return text.includes(pin.name) ? [] : [`${id}: ${pin.file} has no test named "${pin.name}"`];
      }
      case 'case': {
        const text = read(pin.file);
        if (text === undefined) return [`${id}: there is no ${pin.file}`];
        const isThere = text.split('\n').some((line) => line.trim() === `- name: ${pin.name}`);
        return isThere ? [] : [`${id}: ${pin.file} has no case named "${pin.name}"`];
      }
      case 'difference':
        return differences.includes(pin.row) ? [] : [`${id}: there is no row ${pin.row}`];
      case 'later':
      case 'unseen':
        return [];
      case 'unknown':
        return [`${id}: "${pin.text}" is neither a test nor a reason`];
    }
  });
}
