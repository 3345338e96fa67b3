import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { STATIC_CHECKS } from './checks.ts';

const ROOT = join(import.meta.dirname, '..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** What files of a folder may import from the other top-level folders. */
interface Imports {
  readonly all: readonly string[];
  /** Folders from which only types may be imported. */
  readonly types: readonly string[];
  readonly messages: 'none' | 'messages' | 'messages and types';
}

const names = (text: string): readonly string[] => [...text.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name);

function importsIn(cell: string): Imports {
  const parts = cell.split(';').map((part) => part.trim());
  const after = (words: string): readonly string[] =>
    parts.filter((part) => part.startsWith(words)).flatMap((part) => names(part));
  const isPlain = (part: string): boolean => part.startsWith('`');
  const messages = parts.find((part) => part.startsWith('messages'))?.replace(/ of `workflows`$/, '') ?? 'none';
  return {
    all: parts.filter(isPlain).flatMap(names).toSorted(),
    types: after('types of').toSorted(),
    messages: z.enum(['none', 'messages', 'messages and types']).parse(messages),
  };
}

/** The rows of README's table, by folder. */
const table = new Map(
  [...textOf('README.md').matchAll(/^\| ((?:`[\w-]+\/`(?:, )?)+) \| [^|]* \| ?([^|]*) ?\|$/gm)].flatMap(
    ([, folders = '', imports = '']) =>
      [...folders.matchAll(/`([\w-]+)\/`/g)].map(([, folder = '']) => [folder, imports.trim()] as const),
  ),
);
const filesOf = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const withCode = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
  .map(({ name }) => name)
  .filter((folder) => filesOf(folder).length > 0);

const pattern = z.object({ group: z.array(z.string()), allowTypeImports: z.boolean().default(false) });
const rulesSchema = z.object({
  overrides: z.array(
    z.object({
      files: z.array(z.string()),
      rules: z.object({
        'no-restricted-imports': z
          .tuple([z.literal('error'), z.object({ patterns: z.array(pattern) })])
          .optional()
          .catch(undefined),
      }),
    }),
  ),
});
const { overrides } = rulesSchema.parse(JSON.parse(textOf('.oxlintrc.json')));

const MESSAGES = [
  '**/workflows/**',
  '!**/workflows/messages.ts',
  '!**/workflows/*/messages.ts',
  '!**/workflows/search-attributes.ts',
];

/** What the lint rule of a folder allows; undefined without a rule. */
function allowedByLint(folder: string): Imports | undefined {
  const [, rule] =
    overrides.find(({ files }) => files.includes(`${folder}/**/*.ts`))?.rules['no-restricted-imports'] ?? [];
  if (rule === undefined) return undefined;
  const ofMessages = rule.patterns.find(({ group }) => group.join() === MESSAGES.join());
  const others = rule.patterns.filter((each) => each !== ofMessages);
  const groups = (allowTypeImports: boolean): readonly string[] =>
    others
      .filter((each) => each.allowTypeImports === allowTypeImports)
      .flatMap(({ group }) => group)
      .flatMap((glob) => /^\*\*\/([\w-]+)\/\*\*$/.exec(glob)?.[1] ?? [])
      .toSorted();
  const types = groups(true);
  const restricted = new Set([folder, ...groups(false), ...types, ...(ofMessages === undefined ? [] : ['workflows'])]);
  const messages = ofMessages?.allowTypeImports ? 'messages and types' : 'messages';
  return {
    all: withCode.filter((each) => !restricted.has(each)).toSorted(),
    types,
    messages: ofMessages === undefined ? 'none' : messages,
  };
}

describe("README's table of folders", () => {
  test('names every folder with code, and none that does not exist', () => {
    expect(withCode.filter((folder) => !table.has(folder))).toEqual([]);
    expect([...table.keys()].filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([]);
  });

  test.each(withCode)('says what %s/ imports, as its lint rule does', (folder) => {
    expect(allowedByLint(folder)).toEqual(importsIn(table.get(folder) ?? ''));
  });
});

describe('what a program loads later', () => {
  /** The lint rules let through what a comment excuses. */
  const loadedLater = (folder: string): readonly string[] =>
    filesOf(folder)
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap((file) =>
        [...textOf(join(folder, file)).matchAll(/\bimport\('(\.[^']+)'\)/g)].map(
          ([, path = '']) => `${join(folder, file)} loads ${join(folder, dirname(file), path)}`,
        ),
      )
      .filter((found) => {
        const loaded = found.split(' ').at(-1)?.split('/')[0] ?? '';
        return loaded !== folder && !importsIn(table.get(folder) ?? '').all.includes(loaded);
      });

  test('is in folders that it may import, but for the lab, which only the dispatch of the command line loads', () => {
    expect(withCode.flatMap(loadedLater)).toEqual(['cli/main.ts loads lab/cli.ts']);
  });
});

describe('a folder with code', () => {
  test.each(withCode)('is linted and its types are checked: %s/', (folder) => {
    const lint = STATIC_CHECKS.find(({ name }) => name === 'lint')?.command ?? [];
    const { include } = z.object({ include: z.array(z.string()) }).parse(JSON.parse(textOf('tsconfig.json')));
    expect(lint).toContain(folder);
    expect(include).toContain(folder);
  });

  test('has no room with the name of another folder: a lint rule could not tell them apart', () => {
    const rooms = withCode.flatMap((top) => filesOf(top).map((file) => dirname(join(top, file))));
    const clashes = rooms.filter((room) => room.split('/').some((name, at) => at > 0 && withCode.includes(name)));
    expect(clashes).toEqual([]);
  });
});

test('the arrows of docs/ARCHITECTURE.md are in the table', () => {
  const section = /## Who imports whom\n([\s\S]*?)\n## /.exec(textOf('docs/ARCHITECTURE.md'))?.[1] ?? '';
  const arrows = [...section.matchAll(/`([^`]*←[^`]*)`/g)].flatMap(([, chain = '']) => {
    const stations = chain.split('←').map((station) => station.match(/[\w-]+/g) ?? []);
    return stations
      .slice(1)
      .flatMap((importers, at) =>
        importers.flatMap((importer) => (stations[at] ?? []).map((imported) => [importer, imported] as const)),
      );
  });
  expect(arrows.length).toBeGreaterThan(5);
  const wrong = arrows.filter(([importer, imported]) => !importsIn(table.get(importer) ?? '').all.includes(imported));
  expect(wrong).toEqual([]);
});
