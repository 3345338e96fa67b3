import { describe, expect, test } from 'vitest';
import type { Recorded } from './recording.ts';
import { kindOf, nodeOf, summarize } from './recording.ts';
import { toldIn, urlDigest } from './told.ts';

const put = (node: string, target: string, status: number, more: object = {}): Recorded => ({
  at: '2026-01-01T00:00:00Z',
  method: 'PUT',
  path: `/v1/nodes/${node}/states/provision`,
  kind: 'provision',
  node,
  target,
  status,
  milliseconds: 1,
  ...more,
});

describe('the summary of requests', () => {
  test('counts only the deployments which Ironic accepted', () => {
    const requests = [
      put('a', 'active', 202),
      put('a', 'active', 409),
      put('a', 'active', 503, { injected: true }),
      put('b', 'active', 202),
      put('b', 'manage', 202),
    ];
    expect(summarize(requests).provisions).toEqual({ active: { a: 1, b: 1 }, manage: { b: 1 } });
  });

  test.each([
    ['GET', '/v1/nodes?fields=uuid', 'list nodes'],
    ['GET', '/v1/nodes/detail?limit=1', 'list nodes'],
    ['POST', '/v1/nodes', 'create node'],
    ['GET', '/v1/nodes/a?fields=uuid', 'get node'],
    ['PATCH', '/v1/nodes/a', 'change node'],
    ['DELETE', '/v1/nodes/a', 'delete node'],
    ['PUT', '/v1/nodes/a/states/provision', 'provision'],
    ['PUT', '/v1/nodes/a/states/power', 'power'],
    ['GET', '/v1/nodes/a/history?detail=true', 'other'],
    ['GET', '/v1/ports', 'other'],
  ])('takes %s %s for: %s', (method, path, kind) => {
    expect(kindOf(method, path)).toBe(kind);
  });

  test('finds the node in a path', () => {
    expect(nodeOf('/v1/nodes/a/states/power')).toBe('a');
    expect(nodeOf('/v1/nodes/detail')).toBeUndefined();
  });
});

describe('what is kept of a body', () => {
  const kept = (body: unknown): unknown => toldIn(Buffer.from(JSON.stringify(body)));
  const URL_WITH_KEY = 'http://images/a.raw?key=canary';

  test('is the target of a move, and a digest of the image of a change', () => {
    expect(kept({ target: 'active', configdrive: 'secret' })).toEqual({ target: 'active' });
    const changes = [
      { op: 'add', path: '/instance_info/image_source', value: URL_WITH_KEY },
      { op: 'add', path: '/driver_info/password', value: 'secret' },
    ];
    expect(kept(changes)).toEqual({ image: urlDigest(URL_WITH_KEY) });
    expect(urlDigest(URL_WITH_KEY)).toMatch(/^[0-9a-f]{12}$/);
  });

  test('is nothing of any other', () => {
    expect(kept([{ op: 'remove', path: '/instance_info/image_source' }])).toEqual({});
    expect(kept({ login: 'secret' })).toEqual({});
    expect(toldIn(Buffer.from('no JSON'))).toEqual({});
  });
});
