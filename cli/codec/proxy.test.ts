import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { kubeOf } from '../../test/builders/kube-of.ts';
import { requested } from '../command-line.ts';
import { codecCommand } from './options.ts';
import { type CodecProxy, startCodecProxy } from './proxy.ts';
import { tokensOfAccount } from './token.ts';

const WEB_UI = 'http://localhost:8233';

/** A request that reached the codec server. */
interface Reached {
  readonly asked: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let reached: Reached[];
let refused: string[];
let tokens: string[];
let status: number;
let server: Server;
let proxy: CodecProxy;
beforeEach(async () => {
  [reached, refused, tokens, status] = [[], [], ['first', 'second'], 200];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers } = request;
    reached.push({ asked: `${method} ${url}`, headers, body: await text(request) });
    const cors = { 'access-control-allow-origin': WEB_UI, 'access-control-allow-methods': 'POST', vary: 'Origin' };
    response.writeHead(status, { ...cors, 'content-type': 'text/plain', 'set-cookie': 'a=b' });
    response.end(status === 200 ? 'decoded' : 'Forbidden: ada may not\n');
  };
  server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await startCodecProxy({
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/codec`,
    port: 0,
    token: async () => {
      const token = tokens.shift();
      if (token === undefined) throw new Error('no token any more');
      return token;
    },
    onRefused: (reason) => void refused.push(reason),
  });
});
afterEach(async () => {
  await proxy.close();
  server.closeAllConnections();
  server.close();
});

const ask = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', body: '{"payloads":[]}', headers: { origin: WEB_UI, ...headers } });

describe('the address that `temper codec` prints', () => {
  test('passes payloads on, with a token of the moment and nothing else that the browser did not send', async () => {
    const sent = {
      'content-type': 'application/json',
      'x-namespace': 'metal',
      cookie: 'c=d',
      authorization: 'Bearer x',
    };
    const answer = await ask(`${proxy.endpoint}/decode?preserveStorageRefs=true`, sent);
    expect([answer.status, await answer.text(), answer.headers.get('set-cookie')]).toEqual([200, 'decoded', null]);
    expect(answer.headers.get('access-control-allow-origin')).toBe(WEB_UI);
    await ask(`${proxy.endpoint}/encode`);
    expect(reached.map(({ asked, headers }) => [asked, headers.authorization])).toEqual([
      ['POST /codec/decode', 'Bearer first'],
      ['POST /codec/encode', 'Bearer second'],
    ]);
    expect(reached[0]).toMatchObject({
      headers: { origin: WEB_UI, 'content-type': 'application/json', 'x-namespace': 'metal' },
      body: '{"payloads":[]}',
    });
    expect(reached[0]?.headers).not.toHaveProperty('cookie');
  });

  test('passes on what a browser asks before, without a token', async () => {
    const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-namespace' };
    await fetch(`${proxy.endpoint}/decode`, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', ...headers },
    });
    expect(reached).toMatchObject([
      { asked: 'OPTIONS /codec/decode', headers: { origin: 'https://a.example', ...headers } },
    ]);
    expect(reached[0]?.headers).not.toHaveProperty('authorization');
  });

  test.each([
    ['without its secret', () => ask(`${new URL(proxy.endpoint).origin}/decode`), 404],
    ['with another secret', () => ask(`${new URL(proxy.endpoint).origin}/${'a'.repeat(32)}/decode`), 404],
    ['for anything else', () => ask(`${proxy.endpoint}/metrics`), 404],
    ['out of the codec server', () => ask(`${proxy.endpoint}/decode/..%2f..%2fmetrics`), 404],
    ['without an origin', () => fetch(`${proxy.endpoint}/decode`, { method: 'POST' }), 403],
    ['to read', () => fetch(`${proxy.endpoint}/decode`, { headers: { origin: WEB_UI } }), 405],
  ])('%s, is not passed on', async (_, send, expected) => {
    expect((await send()).status).toBe(expected);
    expect([reached, tokens]).toEqual([[], ['first', 'second']]);
  });

  test('has a new secret at each start, and is on loopback', async () => {
    const other = await startCodecProxy({ server: WEB_UI, port: 0, token: async () => '', onRefused: () => undefined });
    const secrets = [proxy, other].map(
      ({ endpoint }) => /^http:\/\/127\.0\.0\.1:\d+\/([\w-]{32})$/.exec(endpoint)?.[1],
    );
    expect(new Set(secrets).size).toBe(2);
    expect(secrets).not.toContain(undefined);
    await other.close();
  });

  test('tells why payloads were not decoded', async () => {
    status = 403;
    expect((await ask(`${proxy.endpoint}/decode`)).status).toBe(403);
    tokens = [];
    expect((await ask(`${proxy.endpoint}/decode`)).status).toBe(502);
    expect(refused).toEqual(['Forbidden: ada may not\n', 'no token any more']);
  });
});

test('tokens of a service account are asked for again after half their lifetime', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  let count = 0;
  const api = createServer((request, response) => {
    count += 1;
    const expirationTimestamp = new Date(now + 600_000).toISOString();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: { token: `${request.url} ${count}`, expirationTimestamp } }));
  });
  const kube = await kubeOf(api);
  const token = tokensOfAccount(kube, { namespace: 'metal', name: 'me' }, () => now);
  const path = '/api/v1/namespaces/metal/serviceaccounts/me/token';
  expect([await token(), await token()]).toEqual([`${path} 1`, `${path} 1`]);
  now += 300_000;
  expect(await token()).toBe(`${path} 2`);
  await kube.close();
  api.close();
});

describe('a command line of codec', () => {
  test('names a codec server, a port and an account, or nothing', () => {
    expect(requested(codecCommand, [])).toMatchObject({
      server: 'https://localhost:8081',
      port: 8082,
      namespace: 'default',
    });
    const all = [
      '--server',
      'https://codec.example/a/',
      '--ca',
      'ca.crt',
      '--port',
      '0',
      '--account',
      'me',
      '-n',
      'metal',
    ];
    expect(requested(codecCommand, all)).toMatchObject({
      server: 'https://codec.example/a',
      ca: 'ca.crt',
      port: 0,
      account: 'me',
      namespace: 'metal',
    });
    for (const local of ['http://localhost:8081', 'http://127.0.0.1:8081', 'http://[::1]:8081'])
      expect(requested(codecCommand, ['--server', local])).toMatchObject({ server: local });
  });

  test.each([
    'http://codec.example',
    'http://localhost.example',
    'https://a:b@codec.example',
    'https://codec.example/?a',
    'ftp://localhost',
    'codec.example',
  ])('that would send a token to %s is refused', (server) => {
    expect(requested(codecCommand, ['--server', server])).toBeUndefined();
  });

  test.each([
    ['--port', '65536'],
    ['--port', 'https'],
    ['--account', '../secrets/a'],
  ])('with %s %s is refused', (...words) => {
    expect(requested(codecCommand, words)).toBeUndefined();
  });
});
