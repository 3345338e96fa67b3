import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** The first folders of a path: `domain/host/memory/memory.ts` is in the room `domain/host`. */
const roomOf = (file: string): string => dirname(file).split('/').slice(0, 2).join('/');

/**
 * For each room, the rooms of the same top-level folder that its files import; type imports count, unit tests do not.
 */
function importsBetweenRooms(top: string): ReadonlyMap<string, ReadonlySet<string>> {
  const rooms = new Map<string, Set<string>>();
  const files = readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => join(top, file));
  for (const file of files) {
    const imported = rooms.get(roomOf(file)) ?? new Set();
    rooms.set(roomOf(file), imported);
    for (const [, path = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const room = roomOf(normalize(join(dirname(file), path)));
      if (room.startsWith(`${top}/`) && room !== roomOf(file)) imported.add(room);
    }
  }
  return rooms;
}

/** A path from a room back to itself through imports; undefined when there is none. */
function circleIn(rooms: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const finished = new Set<string>();
  const follow = (way: readonly string[], room: string): readonly string[] | undefined => {
    if (way.includes(room)) return [...way.slice(way.indexOf(room)), room];
    if (finished.has(room)) return undefined;
    for (const next of rooms.get(room) ?? []) {
      const circle = follow([...way, room], next);
      if (circle !== undefined) return circle;
    }
    finished.add(room);
    return undefined;
  };
  for (const room of rooms.keys()) {
    const circle = follow([], room);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

describe('rooms do not import each other', () => {
  test.each(['api', 'domain', 'activities', 'platform', 'lab'])('in %s/', (top) => {
    expect(circleIn(importsBetweenRooms(top))).toBeUndefined();
  });

  test('a circle is found', () => {
    const rooms = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c', 'd'])],
      ['c', new Set<string>()],
      ['d', new Set(['b'])],
    ]);
    expect(circleIn(rooms)).toEqual(['b', 'd', 'b']);
  });
});
