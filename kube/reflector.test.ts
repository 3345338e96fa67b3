import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { kubeOf } from '../test/builders/kube-of.ts';
import type { Kube } from './client.ts';
import { createReflector, type ObjectIdentity, type Reflector, type ReflectorOptions } from './reflector.ts';

/** An API server as far as a reflector can tell, which may be set back to what it was. */
interface State {
  readonly version: number;
  readonly objects: readonly { readonly name: string; readonly version: number }[];
}

const object = ({ name, version }: State['objects'][number]) => ({
  metadata: { namespace: 'n', name, uid: name, resourceVersion: String(version) },
});

async function anApiServer(state: State) {
  let now = state;
  let isRefusing = false;
  const watches = new Map<ServerResponse, number>();
  let lists = 0;
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    response.setHeader('content-type', 'application/json');
    if (isRefusing) return void response.writeHead(503).end('{}');
    if (searchParams.get('watch') === 'true') {
      const from = Number(searchParams.get('resourceVersion'));
      watches.set(response, from);
      response.flushHeaders();
      return;
    }
    const limit = Number(searchParams.get('limit'));
    lists += 1;
    const items = now.objects.slice(0, limit).map(object);
    response.end(JSON.stringify({ metadata: { resourceVersion: String(now.version) }, items }));
  });
  const kube = await kubeOf(server);
  return {
    kube,
    get lists() {
      return lists;
    },
    watched: () => [...watches.values()],
    /** A watch is told of what is newer than the version that it was begun from, and of nothing else. */
    change(name: string, version: number): void {
      const objects = [...now.objects.filter((one) => one.name !== name), { name, version }];
      now = { version, objects };
      for (const [response, from] of watches) {
        if (version > from)
          response.write(`${JSON.stringify({ type: 'MODIFIED', object: object({ name, version }) })}\n`);
      }
    },
    /** It is started again, with what it had at some earlier time. */
    restart(restored: State = now): void {
      now = restored;
      for (const response of watches.keys()) response.destroy();
      watches.clear();
    },
    /** Resolves when something is requested after this. */
    asked: () => once(server, 'request'),
    /** It answers nothing but 503, as while it starts. */
    refuse(refuses: boolean): void {
      isRefusing = refuses;
    },
    async close(): Promise<void> {
      for (const response of watches.keys()) response.destroy();
      await kube.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let ending: AbortController;
let server: Awaited<ReturnType<typeof anApiServer>>;
afterEach(async () => {
  ending.abort();
  await server.close();
});

function follow(
  kube: Kube,
  options: Partial<Pick<ReflectorOptions<ObjectIdentity>, 'onSetBack' | 'lookForRestore' | 'renewedAt'>> = {},
): { readonly reflector: Reflector<ObjectIdentity>; readonly changes: string[] } {
  const changes: string[] = [];
  ending = new AbortController();
  const reflector = createReflector<ObjectIdentity>({
    kube,
    path: '/apis/example.com/v1/widgets',
    keep: (kept) => (kept as { readonly metadata: ObjectIdentity }).metadata,
    onChange: (key, now) => changes.push(`${key}@${now?.resourceVersion ?? 'gone'}`),
    onTrouble: () => undefined,
    ...options,
  });
  void reflector.run(ending.signal);
  return { reflector, changes };
}

const BACKUP: State = { version: 100, objects: [{ name: 'a', version: 90 }] };

describe('a reflector', () => {
  test('watches on from where it was when the server was started again', async () => {
    server = await anApiServer(BACKUP);
    const { changes } = follow(server.kube, { renewedAt: () => '120' });
    await expect.poll(() => server.watched()).toEqual([100]);
    server.change('a', 120);
    await expect.poll(() => changes).toEqual(['n/a@90', 'n/a@120']);

    server.restart();

    await expect.poll(() => server.watched()).toEqual([120]);
    expect(server.lists).toBe(1);
    server.change('b', 130);
    await expect.poll(() => changes).toEqual(['n/a@90', 'n/a@120', 'n/b@130']);
  });

  test('lists again when the server was restored from a backup, which accepts a watch and would be silent', async () => {
    server = await anApiServer(BACKUP);
    const { changes } = follow(server.kube);
    await expect.poll(() => server.watched()).toEqual([100]);
    server.change('a', 500);
    server.change('since', 501);
    await expect.poll(() => changes).toEqual(['n/a@90', 'n/a@500', 'n/since@501']);

    server.restart(BACKUP);

    await expect.poll(() => server.watched()).toEqual([100]);
    expect(changes.slice(3)).toEqual(['n/since@gone', 'n/a@90']);
    server.change('a', 101);
    await expect.poll(() => changes.at(-1)).toBe('n/a@101');
  });

  test.each([
    ['its watch was cut', () => undefined],
    ['the server had refused it', () => server.refuse(true)],
  ])('tells of nothing that a restored server has, when %s', async (_, meanwhile) => {
    server = await anApiServer(BACKUP);
    let noticed = 0;
    const onSetBack = (): void => {
      noticed += 1;
      ending.abort();
    };
    const { changes } = follow(server.kube, { onSetBack });
    await expect.poll(() => server.watched()).toEqual([100]);
    server.change('a', 500);
    await expect.poll(() => changes).toEqual(['n/a@90', 'n/a@500']);

    meanwhile();
    server.restart(BACKUP);
    await server.asked();
    server.refuse(false);
    await expect.poll(() => noticed).toBe(1);
    expect(changes).toHaveLength(2);
  });

  test.each<[string, string | undefined, () => Promise<void>]>([
    ['its watch was cut', undefined, () => Promise.resolve()],
    ['its watch was cut, and it need not list again', '100', () => Promise.resolve()],
    [
      'the server had refused it',
      undefined,
      async () => {
        server.refuse(true);
        server.restart();
        await server.asked();
      },
    ],
  ])('looks whether the server was restored before it goes on, when %s', async (_, renewedAt, meanwhile) => {
    server = await anApiServer(BACKUP);
    let isRestored = false;
    const lookForRestore = (): Promise<void> => Promise.resolve(isRestored ? ending.abort() : undefined);
    const { changes } = follow(server.kube, { lookForRestore, renewedAt: () => renewedAt });
    await expect.poll(() => server.watched()).toEqual([100]);

    await meanwhile();
    isRestored = true;
    server.restart({ version: 300, objects: [{ name: 'a', version: 95 }] });
    server.refuse(false);
    await expect.poll(() => ending.signal.aborted).toBe(true);
    expect(changes).toEqual(['n/a@90']);
    expect(server.watched()).toEqual([]);
  });

  /** What the server had when it was last written to by the bridge, before `a` was changed at 500. */
  const RENEWED: State = {
    version: 400,
    objects: [
      { name: 'a', version: 90 },
      { name: 'b', version: 400 },
    ],
  };

  test.each<[string, string | undefined]>([
    ['after the last write by which a restore is noticed', '400'],
    ['and nothing was written by which a restore is noticed', undefined],
  ])('notices a restore that nothing else shows, because it lists again what it has seen %s', async (_, renewedAt) => {
    server = await anApiServer(RENEWED);
    let noticed = 0;
    const onSetBack = (): void => {
      noticed += 1;
      ending.abort();
    };
    const lookForRestore = (): Promise<void> => Promise.resolve();
    const { changes } = follow(server.kube, { onSetBack, lookForRestore, renewedAt: () => renewedAt });
    await expect.poll(() => server.watched()).toEqual([400]);
    server.change('a', 500);
    await expect.poll(() => changes).toEqual(['n/a@90', 'n/b@400', 'n/a@500']);

    // Others have written so much since that its version has passed the one that was seen.
    server.restart({ version: 600, objects: [...RENEWED.objects, { name: 'c', version: 450 }] });

    await expect.poll(() => noticed).toBe(1);
    expect(changes).toHaveLength(3);
  });

  test('finds what it would have missed, where all that it knows is as it was before the restore', async () => {
    server = await anApiServer(RENEWED);
    const lookForRestore = (): Promise<void> => Promise.resolve();
    const { changes } = follow(server.kube, { lookForRestore, renewedAt: () => '399' });
    await expect.poll(() => server.watched()).toEqual([400]);

    server.restart({ version: 600, objects: [...RENEWED.objects, { name: 'c', version: 399 }] });

    await expect.poll(() => changes.slice(2)).toEqual(['n/c@399']);
    await expect.poll(() => server.watched()).toEqual([600]);
  });

  test('does not list again what it has seen before that write', async () => {
    server = await anApiServer(BACKUP);
    const lookForRestore = (): Promise<void> => Promise.resolve();
    let renewedAt = '100';
    const { changes } = follow(server.kube, { lookForRestore, renewedAt: () => renewedAt });
    await expect.poll(() => server.watched()).toEqual([100]);
    server.change('a', 120);
    await expect.poll(() => changes).toHaveLength(2);
    renewedAt = '121';

    server.restart();

    await expect.poll(() => server.watched()).toEqual([120]);
    expect(server.lists).toBe(1);
  });
});
