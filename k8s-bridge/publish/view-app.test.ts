import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { EntityView } from '../../domain/entity/view.ts';
import type { TakeView } from './take-view.ts';
import { viewApp } from './view-app.ts';

const VIEW = {
  kind: 'BareMetalHost',
  namespace: 'metal',
  name: 'node-1',
  uid: 'u-1',
  run: 'run-1',
  generation: 2,
  revision: 7,
  at: 1_000,
  order: { epoch: 1, number: 3 },
  finalizer: true,
  state: 'available',
};
const TOKENS: Readonly<Record<string, 'allowed' | 'forbidden'>> = { workers: 'allowed', nosy: 'forbidden' };

function aServer(take: TakeView | undefined = async () => ({ kind: 'published', at: 5 }), isActive = true) {
  const taken: EntityView[] = [];
  const taking: TakeView = (view) => {
    taken.push(view);
    return take(view);
  };
  const app = viewApp({
    mayHandOver: async (token) => {
      const kind = TOKENS[token] ?? 'unknown';
      return kind === 'forbidden' ? { kind, user: token } : { kind };
    },
    temporalNamespace: 'default',
    taker: () => (isActive ? taking : undefined),
    log: pino({ level: 'silent' }),
  });
  const post = async (body: unknown, token: string | undefined = 'workers') => {
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await app.request('/views', { method: 'POST', headers, body: text });
    return { status: response.status, text: await response.text() };
  };
  return { taken, post };
}
const handedOver = { view: VIEW, temporalNamespace: 'default' };

describe('a view that a worker hands over', () => {
  test('is written as it is, and the answer says so', async () => {
    const { taken, post } = aServer();
    const { status, text } = await post(handedOver);
    expect([status, JSON.parse(text)]).toEqual([200, { kind: 'published', at: 5 }]);
    expect(taken).toEqual([VIEW]);
  });

  test.each([
    ['without a token', '', 401, 'Unauthorized: a bearer token is needed'],
    ['with a token that is not known', 'forged', 401, 'Unauthorized: this token is not known here'],
    ['by an account without the right', 'nosy', 403, 'Forbidden: nosy may not hand over views'],
  ])('is not taken %s', async (_, token, status, text) => {
    const { taken, post } = aServer();
    expect(await post(handedOver, token)).toEqual({ status, text: `${text}\n` });
    expect(taken).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['text', 'view'],
    ['no view', { temporalNamespace: 'default' }],
    ['a view without a uid', { ...handedOver, view: { ...VIEW, uid: undefined } }],
    ['a revision that is no number', { ...handedOver, view: { ...VIEW, revision: '7' } }],
    ['an order that is none', { ...handedOver, view: { ...VIEW, order: null } }],
  ])('is refused when it is %s', async (_, body) => {
    const { taken, post } = aServer();
    const { status, text } = await post(body);
    expect([status, text]).toEqual([400, expect.stringContaining('not a view')]);
    expect(taken).toEqual([]);
  });

  test('is refused when it is larger than any view', async () => {
    const { post } = aServer();
    const { status } = await post({ ...handedOver, view: { ...VIEW, waitingFor: 'x'.repeat(1024 * 1024) } });
    expect(status).toBe(413);
  });

  test('of another Temporal namespace is left to the bridge of that one', async () => {
    const { taken, post } = aServer();
    const { status, text } = await post({ ...handedOver, temporalNamespace: 'other' });
    expect([status, text]).toEqual([409, "this bridge writes views of the Temporal namespace 'default'\n"]);
    expect(taken).toEqual([]);
  });

  test('is not taken by a bridge that is not active', async () => {
    const { taken, post } = aServer(undefined, false);
    expect(await post(handedOver)).toEqual({ status: 421, text: 'this bridge is not active\n' });
    expect(taken).toEqual([]);
  });

  test('is not taken while the bridge would have to ask the run first', async () => {
    const { post } = aServer(() => undefined);
    expect(await post(handedOver)).toEqual({ status: 503, text: 'the view is not taken at present\n' });
  });

  test('that could not be written is said to be not written, without the reason', async () => {
    const { post } = aServer(async () => {
      throw new Error('PATCH /apis/metal3.io: 500 etcdserver: request timed out');
    });
    expect(await post(handedOver)).toEqual({ status: 500, text: 'the view was not written\n' });
  });
});

test('of many views, some are written at a time, and no more wait for it than are soon written', async () => {
  const letGo: (() => void)[] = [];
  const { taken, post } = aServer(async () => {
    await new Promise<void>((resolve) => letGo.push(resolve));
    return { kind: 'superseded' };
  });
  const posts = Array.from({ length: 551 }, () => post(handedOver));
  await expect.poll(() => taken.length).toBe(50);
  await expect(Promise.race(posts)).resolves.toEqual({ status: 503, text: 'too many views wait to be written\n' });
  while (taken.length < 550 || letGo.length > 0) {
    letGo.shift()?.();
    await new Promise(setImmediate);
  }
  const statuses = (await Promise.all(posts)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(550);
});
