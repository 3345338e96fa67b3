import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Fault } from './faults.ts';
import type { Recorded } from './recording.ts';
import { createProxy } from './server.ts';

const servers: Server[] = [];
/** Bodies that Ironic got. */
let got: string[];
let kept: Recorded[];
let url: string;

async function listening(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeEach(async () => {
  got = [];
  kept = [];
  const ironic = await listening(
    createServer((incoming, outgoing) => {
      text(incoming).then(
        (body) => {
          got.push(body);
          outgoing.writeHead(202).end();
        },
        () => outgoing.destroy(),
      );
    }),
  );
  const proxy = createProxy(new URL(ironic), (one) => kept.push(one));
  url = await listening(createServer((incoming, outgoing) => void proxy(incoming, outgoing)));
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const PATH = '/v1/nodes/a/states/provision';
const inject = (fault: Partial<Fault>): Promise<Response> =>
  fetch(`${url}/_faults`, { method: 'POST', body: JSON.stringify(fault) });

test('a page of a proxy is no error of Ironic', async () => {
  await inject({ status: 502, page: true });
  const answer = await fetch(url + PATH);
  expect(answer.status).toBe(502);
  expect(answer.headers.get('content-type')).toBe('text/html');
  expect(await answer.text()).toContain('<h1>502</h1>');
  expect(got).toEqual([]);
});

test('a held request is carried out when the faults are forgotten', async () => {
  await inject({ method: 'PUT', hold: true });
  const held = fetch(url + PATH, { method: 'PUT', body: '{}' });
  await vi.waitUntil(async () => (await (await fetch(`${url}/_faults`)).text()) === '[]');
  await fetch(url + PATH, { method: 'PATCH', body: 'another' });
  expect(got).toEqual(['another']);
  await fetch(`${url}/_faults`, { method: 'DELETE' });
  expect((await held).status).toBe(202);
  expect(got).toEqual(['another', '{}']);
});

test('a delayed request is carried out although its client has ended meanwhile', async () => {
  await inject({ method: 'PUT', delayMs: 300 });
  const client = request(url + PATH, { method: 'PUT' });
  client.on('error', () => undefined);
  client.end('{"target":"active"}');
  await vi.waitUntil(async () => (await (await fetch(`${url}/_faults`)).text()) === '[]');
  client.destroy();
  await expect.poll(() => got).toEqual(['{"target":"active"}']);
  await expect.poll(() => kept.map(({ target, status }) => [target, status])).toEqual([['active', 202]]);
});
