import { createServer, type RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { kubeOf } from '../test/builders/kube-of.ts';
import type { Kube } from './client.ts';
import { createReflector } from './reflector.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function anApiServer(answer: RequestListener): Promise<Kube> {
  const server = createServer(answer);
  closing.push(() => new Promise((resolve) => void server.close(resolve)));
  const kube = await kubeOf(server);
  closing.push(() => kube.close());
  return kube;
}

const MIB = 1_024 * 1_024;
const TEXT = 'x'.repeat(MIB);

describe('an API server whose objects tenants have made large', () => {
  test('may not answer more than the bound, which the error names', async () => {
    let sent = 0;
    const kube = await anApiServer((_, response) => {
      const more = (): void => {
        sent += 1;
        if (!response.destroyed) response.write(TEXT, more);
      };
      more();
    });
    await expect(kube.request({ path: '/x' })).rejects.toMatchObject({
      reason: 'TooLarge',
      message: "GET /x: beyond the bound of the API server's answer: more than 67108864 characters",
    });
    expect(sent).toBeLessThan(200);
  });

  test('may not send an event of a watch that is longer than the bound', async () => {
    const kube = await anApiServer((_, response) => {
      for (let sent = 0; sent < 10; sent++) response.write(TEXT);
      response.end('\n');
    });
    const lines = kube.lines({ path: '/x' });
    await expect(lines.next()).rejects.toMatchObject({
      reason: 'TooLarge',
      message: 'GET /x: beyond the bound of the event of a watch: more than 8388608 characters',
    });
  });

  test('is listed in smaller pages when one is beyond the bound', async () => {
    const objects = Array.from({ length: 100 }, (_, at) => ({
      metadata: { namespace: 'n', name: `host-${at}`, uid: `${at}`, resourceVersion: '1' },
      spec: { text: TEXT },
    }));
    const asked: string[] = [];
    const kube = await anApiServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://localhost');
      if (searchParams.get('watch') === 'true') return response.flushHeaders();
      const [from, limit] = [Number(searchParams.get('continue') ?? 0), Number(searchParams.get('limit'))];
      asked.push(`${limit} from ${from}`);
      const next = from + limit < objects.length ? { continue: String(from + limit) } : {};
      response.end(
        JSON.stringify({ metadata: { resourceVersion: '1', ...next }, items: objects.slice(from, from + limit) }),
      );
    });
    const ending = new AbortController();
    const reflector = createReflector({
      kube,
      path: '/x',
      keep: (object) => (object as (typeof objects)[number]).metadata,
      onChange: () => undefined,
      onTrouble: () => ending.abort(),
    });
    const running = reflector.run(ending.signal);
    await reflector.synced;
    expect([...reflector.values()]).toHaveLength(100);
    const rest = Array.from({ length: 7 }, (_, page) => `15 from ${15 * page}`);
    expect(asked).toEqual(['500 from 0', '250 from 0', '125 from 0', '62 from 0', '31 from 0', ...rest]);
    ending.abort();
    await running;
  });
});
