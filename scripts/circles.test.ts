import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** For each room, a subfolder or a file directly in the folder, the rooms beside it that it imports. */
type Rooms = ReadonlyMap<string, ReadonlySet<string>>;

/** For each folder of a tree, what its rooms import from each other. Type imports count, unit tests do not. */
function importsBetweenRooms(files: ReadonlyMap<string, string>): ReadonlyMap<string, Rooms> {
  const folders = new Map<string, Map<string, Set<string>>>();
  for (const [file, text] of files) {
    for (const [, path = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      const [from, to] = [file.split('/'), normalize(join(dirname(file), path)).split('/')];
      const depth = from.findIndex((part, at) => part !== to[at]);
      const [importer, imported] = [from[depth], to[depth]];
      if (depth < 1 || importer === undefined || imported === undefined) continue;
      const folder = from.slice(0, depth).join('/');
      const rooms = folders.get(folder) ?? new Map<string, Set<string>>();
      folders.set(folder, rooms.set(importer, (rooms.get(importer) ?? new Set()).add(imported)));
    }
  }
  return folders;
}

/** A path from a room back to itself through imports; undefined when there is none. */
function circleOf(room: string, rooms: Rooms): readonly string[] | undefined {
  const visited = new Set<string>();
  const follow = (way: readonly string[]): readonly string[] | undefined => {
    for (const next of rooms.get(way.at(-1) ?? '') ?? []) {
      if (next === room) return [...way, next];
      if (visited.has(next)) continue;
      visited.add(next);
      const circle = follow([...way, next]);
      if (circle !== undefined) return circle;
    }
    return undefined;
  };
  return follow([room]);
}

/** Circles of files, also those of type imports alone, are found by the linter (`import/no-cycle`). */
const isFolder = (room: string): boolean => !room.endsWith('.ts');

const topOf = (file: string): string => file.slice(0, file.indexOf('/'));

const circlesIn = (files: ReadonlyMap<string, string>): readonly string[] =>
  [...importsBetweenRooms(files)].flatMap(([folder, rooms]) =>
    [...rooms.keys()].filter(isFolder).flatMap((room) => {
      const circle = circleOf(room, rooms);
      return circle === undefined ? [] : [`${folder}: ${circle.join(' -> ')}`];
    }),
  );

/** All folders with code except test/: there the setup of shared labs and the helpers of tests import each other. */
const TOP_FOLDERS = [...new Set(globSync('*/**/*.ts', { cwd: ROOT, exclude: ['node_modules', 'test'] }).map(topOf))];

test('every folder with production code is searched for circles', () => {
  expect(TOP_FOLDERS).toEqual(expect.arrayContaining(['cli', 'domain', 'k8s-bridge', 'scripts', 'workflows']));
});

describe('rooms do not import each other in a circle, at any depth', () => {
  test.each(TOP_FOLDERS)('in %s/', (top) => {
    const files = globSync(`${top}/**/*.ts`, { cwd: ROOT, exclude: ['**/*.test.ts'] });
    expect(files.length).toBeGreaterThan(0);
    expect(circlesIn(new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')])))).toEqual([]);
  });

  test('a circle between subfolders, or between a subfolder and a file beside it, is found', () => {
    const files = new Map([
      ['top/room/a/one.ts', "import { two } from '../b/two.ts';\nimport { three } from '../three.ts';"],
      ['top/room/b/two.ts', "import { four } from '../../other/four.ts';\nimport type { One } from '../a/one.ts';"],
      ['top/room/three.ts', "import { four } from '../other/four.ts';"],
      ['top/other/four.ts', "import { five } from './five.ts';"],
      ['top/other/five.ts', "import { six } from './in/six.ts';"],
      ['top/other/in/six.ts', "import { four } from '../four.ts';"],
    ]);
    expect(circlesIn(files)).toEqual([
      'top/room: a -> b -> a',
      'top/room: b -> a -> b',
      'top/other: in -> four.ts -> five.ts -> in',
    ]);
  });
});
