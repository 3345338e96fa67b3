import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { headingIds, sectionsOf } from './documented/headings.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = [
  '',
  'bench',
  'deploy',
  'deploy/kubernetes',
  'docs',
  'docs/decisions',
  'docs/operations',
  'lab/machines',
  'lab/upstream',
  'test',
  'test/attacks',
  'test/chaos',
  'test/facts',
  'test/nightly',
];
/** Lists every page of docs/; the decisions as one folder. */
const INDEX = 'docs/README.md';
/** Pages that lead through the code: each file that they name, also by the end of its path, must exist. */
const TOURS: readonly string[] = ['README.md', 'CONTRIBUTING.md', 'docs/ARCHITECTURE.md', 'test/README.md'];

const pages = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({ page: join(folder, name), text: readFileSync(join(ROOT, folder, name), 'utf8') })),
);

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

const wrong = (
  find: (text: string) => readonly string[],
  isRight: (found: string, page: string) => boolean,
): readonly string[] =>
  pages.flatMap(({ page, text }) =>
    find(text)
      .filter((found) => !isRight(found, page))
      .map((found) => `${page}: ${found}`),
  );

const allOf = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

const withoutCode = (text: string): string => text.replaceAll(/```[^]*?```/g, '').replaceAll(/`[^`\n]*`/g, '');

const links = (text: string): readonly string[] => allOf(withoutCode(text), /\]\((?!https?:|#)([^)#]+)/g);

/** Links with the heading that they lead to, such as `lab.md#programs`. */
const headingLinks = (text: string): readonly string[] => allOf(withoutCode(text), /\]\((?!https?:)([^)#]*#[^)]+)\)/g);

const paths = (text: string): readonly string[] =>
  allOf(
    text,
    /(?<=[\s`])((?:api|cli|domain|workflows|kube|activities|workers|k8s-bridge|platform|lab|scripts|bench|test|deploy|docs|crds|examples)\/[\w./-]+?)(?=[`\s,;:)]|\.\s)/g,
  );

const FILES = /`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs|json|md|sh))`/g;
/** "`NAME` in `domain/file.ts`", or "of" it. */
const DECLARED = /`(\w+)` (?:in|of) `((?:[\w.-]+\/)+[\w.-]+\.ts)`/g;

/** What the pages of TOURS name and what is wrong. */
const tours = (pattern: RegExp, isWrong: (found: string) => boolean): readonly string[] =>
  pages
    .filter(({ page }) => TOURS.includes(page))
    .flatMap(({ page, text }) =>
      [...text.matchAll(pattern)]
        .map(([, ...parts]) => parts.join(' in '))
        .filter(isWrong)
        .map((found) => `${page}: ${found}`),
    );

describe('the documents', () => {
  test('link to pages that exist', () => {
    expect(wrong(links, (link, page) => existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });

  test('link to headings that exist', () => {
    const leads = (link: string, page: string): boolean => {
      const [path = '', heading = ''] = link.split('#');
      const target = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
      return headingIds(readFileSync(target, 'utf8')).includes(heading);
    };
    expect(wrong(headingLinks, leads)).toEqual([]);
  });

  test('are listed in their index, each once', () => {
    const inDocs = pages.map(({ page }) => page).filter((page) => page.startsWith('docs/') && page !== INDEX);
    const toList = inDocs.map((page) => (page.startsWith('docs/decisions/') ? 'docs/decisions' : page));
    const [index = ''] = pages.filter(({ page }) => page === INDEX).map(({ text }) => text);
    // The questions above the lists lead to some pages once more.
    const items = index.split('\n').filter((line) => line.startsWith('- '));
    const listed = items.flatMap((item) => links(item)).map((link) => join(dirname(INDEX), link));
    expect(listed.filter((page) => page.startsWith('docs/')).toSorted()).toEqual([...new Set(toList)].toSorted());
  });

  test('name files that exist', () => {
    expect(wrong(paths, (path) => existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('that lead through the code name files by paths, or ends of paths, that exist', () => {
    const files = globSync('**/*', { cwd: ROOT, exclude: ['node_modules', '.git', '.lab'] });
    const isThere = (path: string): boolean =>
      existsSync(join(ROOT, path)) || files.some((file) => `/${file}`.endsWith(`/${path}`));
    expect(tours(FILES, (path) => !isThere(path))).toEqual([]);
  });

  test('that lead through the code name identifiers where they are declared', () => {
    const isElsewhere = (found: string): boolean => {
      const [name = '', path = ''] = found.split(' in ');
      return !new RegExp(`\\b(?:const|function|interface|type) ${name}\\b`).test(
        readFileSync(join(ROOT, path), 'utf8'),
      );
    };
    expect(tours(DECLARED, isElsewhere)).toEqual([]);
  });

  test('name npm scripts that exist', () => {
    expect(
      wrong(
        (text) => allOf(text, /npm run ([\w:-]+)/g),
        (name) => name in scripts,
      ),
    ).toEqual([]);
  });
});

/** What an operator asks with the documents alone at hand: the page and heading that answer, and words of the answer. */
const QUESTIONS: readonly (readonly [question: string, page: string, heading: string, answer: RegExp])[] = [
  ['How do I install it?', 'docs/installation.md', 'installation-in-a-cluster', /kubectl apply --server-side -k \./],
  ['How do I move from Metal3?', 'docs/migration.md', 'the-switch', /kubectl apply --server-side --force-conflicts/],
  ['How do I move back?', 'docs/migration.md', 'the-way-back', /npx temper uninstall --for-metal3 --confirm/],
  ['What if Temporal is down?', 'docs/temporal-for-metal3.md', 'when-it-is-down', /bring Temporal back/],
  ['What is different from Metal3?', 'docs/differences.md', 'differences-from-metal3', /Missing kinds/],
  ['How large must Temporal be?', 'docs/temporal-for-metal3.md', 'size', /500 hosts at once/],
  ['How large must bridge and workers be?', 'docs/installation.md', 'resources', /500.*384 Mi/],
  ['How do I monitor it?', 'docs/monitoring.md', 'with-the-prometheus-operator', /components\/monitoring/],
  ['Which host has this MAC address?', 'docs/fleet.md', 'find-a-host', /temper find 52:54:00/],
  ['What happened in the last hour?', 'docs/fleet.md', 'the-last-hour', /history --all-namespaces --since 1h/],
  ['Which version runs?', 'docs/fleet.md', 'which-versions-run', /temper version/],
  ['Why does this host not go on?', 'docs/troubleshooting.md', 'symptoms', /temper explain host/],
];

describe('from their index, within two links, the documents answer', () => {
  const linksFrom = (page: string): readonly string[] =>
    links(pages.find((each) => each.page === page)?.text ?? '').map((link) => join(dirname(page), link));
  const first = linksFrom(INDEX);
  const within = new Set([...first, ...first.flatMap(linksFrom)]);

  test.each(QUESTIONS)('%s', (_, page, heading, answer) => {
    expect(within).toContain(page);
    const found = sectionsOf(readFileSync(join(ROOT, page), 'utf8')).find(({ id }) => id === heading);
    expect(found?.text).toMatch(answer);
  });
});
