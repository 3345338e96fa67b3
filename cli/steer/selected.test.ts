import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { kubeOf } from '../../test/builders/kube-of.ts';
import { selectedNames } from './selected.ts';

const host = (name: string, quarantine?: string): object => ({
  metadata: {
    name,
    namespace: 'metal',
    annotations: quarantine === undefined ? {} : { 'temper/quarantine': quarantine },
  },
});
/** Pages of hosts, as the API server lists them. */
let pages: readonly (readonly object[] | null)[];
let asked: URLSearchParams[];
let told: string[];
let server: Server;
let kube: Kube;
beforeEach(async () => {
  [pages, asked, told] = [[], [], []];
  server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://server');
    asked.push(searchParams);
    const at = Number(searchParams.get('continue') ?? 0);
    const next = at + 1 < pages.length ? { continue: String(at + 1) } : {};
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ metadata: { resourceVersion: '1', ...next }, items: pages[at] }));
  });
  kube = await kubeOf(server);
});
afterEach(async () => {
  await kube.close();
  server.close();
});

const names = async (of?: 'hold' | 'unhold', selector?: string): Promise<readonly string[]> =>
  (await selected(of, selector)).names;
const selected = (of?: 'hold' | 'unhold', selector = 'rack=r1'): ReturnType<typeof selectedNames> =>
  selectedNames(
    kube,
    KINDS.host,
    { namespace: 'metal', selector, ...(of !== undefined && { of }) },
    (line) => void told.push(line),
  );
const FAN = '{"by":"bob","reason":"the fan is loud"}';

test('the names of all pages are selected, with the labels', async () => {
  pages = [[host('a'), host('b', FAN)], [host('c')]];
  expect(await names()).toEqual(['a', 'b', 'c']);
  expect(asked.map((query) => [query.get('labelSelector'), query.get('continue')])).toEqual([
    ['rack=r1', null],
    ['rack=r1', '1'],
  ]);
  expect(told).toEqual([]);
});

test('nothing is selected where the API server lists nothing', async () => {
  pages = [null];
  expect(await names(undefined, '')).toEqual([]);
});

test('a selector that fits no object is not the same as one whose objects need nothing', async () => {
  pages = [[host('held', 'hold: power work')]];
  expect(await selected('hold')).toEqual({ names: [], isAny: true });
  pages = [null];
  expect(await selected('hold', 'rack=typo')).toEqual({ names: [], isAny: false });
});

test('a hold is for hosts that are in no quarantine, its end for those that it holds', async () => {
  pages = [[host('free'), host('loud', FAN), host('held', 'hold: power work')]];
  expect(await names('hold')).toEqual(['free']);
  expect(told).toEqual([
    'metal/loud: in quarantine already, by bob: the fan is loud',
    'metal/held: in quarantine already, by an annotation: hold: power work',
  ]);
  told = [];
  expect(await names('unhold')).toEqual(['held']);
  expect(told).toEqual(['metal/loud: stays in quarantine, by bob: the fan is loud']);
});
