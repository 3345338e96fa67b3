import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { describe, expect, test } from 'vitest';
import { inRepository } from '../test/builders/compose-file.ts';
import { ofRoot, ofWorkspaces } from '../test/builders/package-files.ts';
import { FOLDERS, productionFiles } from './house/production.ts';

const nameOf = (wanted: string): string =>
  wanted
    .split('/')
    .slice(0, wanted.startsWith('@') ? 2 : 1)
    .join('/');

/** The packages that a text imports, at once or later. */
const packagesIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:^import |^(?:import|export)\s[^;]*?\sfrom |\bimport\()'([^'.][^']*)'/gm)]
    .map(([, wanted = '']) => wanted)
    .filter((wanted) => !isBuiltin(wanted))
    .map(nameOf);

const importedIn = (files: readonly string[]): readonly string[] =>
  [...new Set(files.flatMap((file) => packagesIn(readFileSync(inRepository(file), 'utf8'))))].toSorted();

describe('what runs in production', () => {
  const production = productionFiles(inRepository(''));

  test.each(FOLDERS)('loads `dependencies` alone, of package.json or of its own: %s/', (folder) => {
    const imported = importedIn(production.filter((file) => file.startsWith(`${folder}/`)));
    expect(imported.length).toBeGreaterThan(0);
    const listed = { ...ofRoot.dependencies, ...ofWorkspaces.get(folder)?.dependencies };
    expect(imported.filter((name) => !(name in listed))).toEqual([]);
  });
});

describe('a workspace', () => {
  test.each([...ofWorkspaces])('names packages that it imports, and package.json does not name: %s/', (folder, own) => {
    const files = globSync(`${folder}/**/*.{ts,mjs}`, { cwd: inRepository('') });
    const named = Object.keys({ ...own.dependencies, ...own.devDependencies });
    const imported = importedIn(files).flatMap((name) => [name, `@types/${name}`]);
    expect(named.filter((name) => !imported.includes(name))).toEqual([]);
    expect(named.filter((name) => name in { ...ofRoot.dependencies, ...ofRoot.devDependencies })).toEqual([]);
  });

  test.each([...ofWorkspaces])('has modules of the kind that package.json has: %s/', (folder) => {
    const typeIn = (path: string): unknown =>
      (JSON.parse(readFileSync(inRepository(path), 'utf8')) as Readonly<Record<string, unknown>>)['type'];
    expect(typeIn(`${folder}/package.json`)).toBe(typeIn('package.json'));
  });
});

describe('docs/dependencies.md', () => {
  const page = readFileSync(inRepository('docs/dependencies.md'), 'utf8');
  /** The packages of its sections, in their order. */
  const sections = page
    .split(/^## /m)
    .slice(1)
    .map((section) =>
      [...section.matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)]
        .flatMap(([, names = '']) => names.split(', '))
        .filter((name) => !['package', '---'].includes(name)),
    );

  test('has a line for each package, once, in the first section that it belongs to', () => {
    const of = (folder: string) => ofWorkspaces.get(folder);
    const files = [
      [ofRoot.dependencies],
      [of('cli')?.dependencies],
      ['lab', 'bench', 'scripts'].map((folder) => of(folder)?.devDependencies),
      [ofRoot.devDependencies],
    ].map((lists) => lists.flatMap((list) => Object.keys(list ?? {})));
    const firstIn = files.map((names, at) => {
      const before = files.slice(0, at).flat();
      return [...new Set(names)].filter((name) => !before.includes(name)).toSorted();
    });
    expect(sections.map((names) => names.toSorted())).toEqual(firstIn);
  });
});
