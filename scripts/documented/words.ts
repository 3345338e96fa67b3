import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What a person reads: README, CONTRIBUTING and the pages of docs/ that people write. */
export const MOST_WORDS = 55_000;

interface PageWords {
  readonly page: string;
  readonly words: number;
}
interface LeftOut extends PageWords {
  readonly why: string;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COUNTED: readonly RegExp[] = [/^README\.md$/, /^CONTRIBUTING\.md$/, /^docs\//];
/** Why a page of docs/ is not counted. */
const WHY_LEFT_OUT: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^docs\/decisions\//, 'a decision'],
  [/^docs\/(?:configuration|crds|metrics|states)\.md$/, 'rendered from code'],
  [/^docs\/finding-faults\.md$/, 'recorded by a script'],
];
/** Pages whose end is rendered from code: from this heading on. */
const RENDERED_FROM: Readonly<Record<string, string>> = { 'docs/troubleshooting.md': '## Diagnoses' };

/** Words have a letter or a digit; the marks of tables and lists are none. */
export const countWords = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

export function readWords(): { readonly counted: readonly PageWords[]; readonly leftOut: readonly LeftOut[] } {
  const pages = globSync('**/*.md', { cwd: ROOT, exclude: ['node_modules', '.git', '.lab', 'dist'] })
    .toSorted()
    .map((page) => ({ page, text: readFileSync(ROOT + page, 'utf8') }));
  return {
    counted: pages.flatMap(({ page, text }) =>
      whyLeftOut(page) === undefined ? [{ page, words: countWords(byHand(page, text)) }] : [],
    ),
    leftOut: pages.flatMap(({ page, text }) => leftOutOf(page, text)),
  };
}

export const wordsOf = (pages: readonly PageWords[]): number => pages.reduce((sum, { words }) => sum + words, 0);

export function whyLeftOut(page: string): string | undefined {
  if (!COUNTED.some((pattern) => pattern.test(page))) return 'neither README, CONTRIBUTING nor docs/';
  return WHY_LEFT_OUT.find(([pattern]) => pattern.test(page))?.[1];
}

const byHand = (page: string, text: string): string => text.slice(0, renderedFrom(page, text));

function leftOutOf(page: string, text: string): readonly LeftOut[] {
  const why = whyLeftOut(page);
  if (why !== undefined) return [{ page, words: countWords(text), why }];
  const rendered = text.slice(renderedFrom(page, text));
  return rendered === ''
    ? []
    : [{ page, words: countWords(rendered), why: `rendered from code: ${RENDERED_FROM[page]}` }];
}

function renderedFrom(page: string, text: string): number {
  const heading = RENDERED_FROM[page];
  if (heading === undefined) return text.length;
  const at = text.indexOf(`\n${heading}\n`);
  if (at < 0) throw new Error(`${page} has no heading "${heading}"`);
  return at;
}
