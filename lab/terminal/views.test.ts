import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts';
import { linkTo, VIEWS } from './views.ts';

test('the views are those of docs/web-ui.md', async () => {
  const page = await readFile(fileURLToPath(new URL('../../docs/web-ui.md', import.meta.url)), 'utf8');
  const missing = VIEWS.filter(({ name, query }) => !page.includes(`| ${name} | \`${query}\` |`));
  expect(missing).toEqual([]);
});

test('the views use search attributes that exist', () => {
  const used = VIEWS.flatMap(({ query }) => query.match(/Temper\w+/g) ?? []);
  expect(used).toContain('TemperWaitsFor');
  expect(used.filter((name) => !Object.hasOwn(SEARCH_ATTRIBUTES, name))).toEqual([]);
});

test('no view has a fixed time, because the browser keeps it for good', () => {
  expect(VIEWS.filter(({ query }) => /\d/.test(query) || query.includes('TemperSince'))).toEqual([]);
});

test('there are eight search attributes at most, each in the table of docs/web-ui.md with its type', async () => {
  const page = await readFile(fileURLToPath(new URL('../../docs/web-ui.md', import.meta.url)), 'utf8');
  const listed = [...page.matchAll(/^\| `(Temper\w+)` \| (\w+) \|/gm)].map(([, name, type]) => [name, type]);
  expect(Object.fromEntries(listed)).toEqual(SEARCH_ATTRIBUTES);
  expect(listed.length).toBeLessThanOrEqual(8);
});

test('a link holds the whole query, and the name by which the Web UI saves the view', () => {
  const link = new URL(linkTo('http://127.0.0.1:18233', { name: 'in error', query: 'A = "b" AND C < "2026"' }));
  expect(link.searchParams.get('query')).toBe('A = "b" AND C < "2026"');
  expect(link.searchParams.get('savedQuery')).toBe('in error');
});
