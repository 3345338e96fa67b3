import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['', 'deploy', 'docs', 'docs/decisions'];
/** Files named by a recipe that says who creates them. */
const COMING: readonly string[] = ['workflows/patches.ts'];

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

const links = (text: string): readonly string[] => allOf(text.replaceAll(/`[^`]*`/g, ''), /\]\((?!https?:|#)([^)#]+)/g);

const paths = (text: string): readonly string[] =>
  allOf(
    text,
    /(?<=[\s`])((?:api|domain|workflows|kube|activities|workers|k8s-bridge|platform|lab|scripts|bench|test|deploy|docs|crds|examples)\/[\w./-]+?)(?=[`\s,;:)]|\.\s)/g,
  );

describe('the documents', () => {
  test('link to pages that exist', () => {
    expect(wrong(links, (link, page) => existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });

  test('name files that exist', () => {
    expect(wrong(paths, (path) => existsSync(join(ROOT, path)) || COMING.includes(path))).toEqual([]);
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
