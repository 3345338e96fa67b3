import { describe, expect, test } from 'vitest';
import { type Find, gather } from './gather.ts';
import type { FollowedKind } from './kinds.ts';

const KIND: FollowedKind = { kind: 'Widget', apiVersion: 'example.com/v1', plural: 'widgets' };
const pathOf = (name: string): string => `/apis/example.com/v1/namespaces/metal/widgets/${name}`;

/** A server with these objects, each of which names the next; notes what it was asked for. */
function aServer(objects: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const find = async (path: string): Promise<unknown> => {
    asked.push(path);
    return Object.entries(objects).find(([name]) => pathOf(name) === path)?.[1];
  };
  return { asked, find };
}

const next = (find: Find, name: string | undefined): string | undefined =>
  name === undefined ? undefined : (find(KIND, { namespace: 'metal', name }) as string | undefined);

describe('gathering', () => {
  test('follows references, and reads each object once', async () => {
    const server = aServer({ a: 'b', b: 'c', c: 'd' });
    const last = await gather(server, (find) => [next(find, next(find, next(find, 'a'))), next(find, 'a')]);
    expect(last).toEqual(['d', 'b']);
    expect(server.asked).toEqual(['a', 'b', 'c'].map(pathOf));
  });

  test('takes what does not exist for absent, and asks no server for an impossible name', async () => {
    const server = aServer({});
    expect(await gather(server, (find) => [next(find, 'x'), next(find, '../../secrets/y')])).toEqual([
      undefined,
      undefined,
    ]);
    expect(server.asked).toEqual([pathOf('x')]);
  });

  test('fails as the server does', async () => {
    const broken = { find: () => Promise.reject(new Error('no answer')) };
    await expect(gather(broken, (find) => next(find, 'a'))).rejects.toThrow('no answer');
  });
});
