import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type Dispatcher, request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { openConnectProxy } from '../test/builders/connect-proxy.ts';
import { connectionsVia, proxyFor } from './proxies.ts';
import { selfSigned } from './tls/certificates.ts';

const PROXIES = { HTTP_PROXY: 'http://plain:3128', HTTPS_PROXY: 'http://secure:3128' };

describe('the proxy for a server', () => {
  test.each([
    ['https://api.example:6443', 'http://secure:3128'],
    ['http://ironic.example:6385', 'http://plain:3128'],
    ['https://192.0.2.1', 'http://secure:3128'],
    ['https://[2001:db8::1]:6443', 'http://secure:3128'],
  ])('of %s is that of its scheme', (server, proxy) => {
    expect(proxyFor(server, { ...PROXIES, NO_PROXY: '' })).toBe(proxy);
  });

  test.each(['https://localhost:6443', 'http://127.0.0.1:6385', 'https://127.1.2.3', 'https://[::1]:7233'])(
    'is none for %s, which is on this computer',
    (server) => {
      expect(proxyFor(server, { ...PROXIES, NO_PROXY: '' })).toBeUndefined();
    },
  );

  test.each([
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://api.example.com:6443', true],
    ['example.com', 'https://anexample.com', false],
    ['.example.com', 'https://api.example.com', true],
    ['.example.com', 'https://example.com', false],
    ['*.example.com', 'https://api.example.com', true],
    ['EXAMPLE.com', 'https://API.example.COM', true],
    ['other, example.com', 'https://example.com', true],
    ['other example.com', 'https://example.com', true],
    ['*', 'https://example.com', true],
    ['example.com:6443', 'https://example.com:6443', true],
    ['example.com:6443', 'https://example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['10.0.0.7', 'https://10.0.0.7:6443', true],
    ['10.0.0.7', 'https://10.0.0.70', false],
    ['10.96.0.0/12', 'https://10.96.0.1:443', true],
    ['10.96.0.0/12', 'https://10.112.0.1', false],
    ['10.96.0.0/33', 'https://10.96.0.1', false],
    ['10.96.0.0/12', 'https://ten.example', false],
    ['2001:db8::/32', 'https://[2001:db8::1]:6443', true],
    ['[2001:db8::1]:6443', 'https://[2001:db8::1]:6443', true],
    ['[2001:db8::1]:6443', 'https://[2001:db8::1]', false],
    ['2001:db8::1', 'https://[2001:db8::1]', true],
    ['', 'https://example.com', false],
  ])('with NO_PROXY=%s, for %s: none is %s', (NO_PROXY, server, isDirect) => {
    expect(proxyFor(server, { ...PROXIES, NO_PROXY })).toBe(isDirect ? undefined : 'http://secure:3128');
  });

  test('is none without the variable for its scheme', () => {
    expect(proxyFor('https://a.example', { HTTP_PROXY: 'http://plain:3128', NO_PROXY: '' })).toBeUndefined();
    expect(proxyFor('http://a.example', { HTTPS_PROXY: 'http://secure:3128', NO_PROXY: '' })).toBeUndefined();
  });
});

describe('connections through a proxy', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  async function listen(server: Server): Promise<string> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => server.close());
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  async function aProxy(servers: Readonly<Record<string, string>>, login?: string) {
    const proxy = await openConnectProxy(servers, login);
    closing.push(() => proxy.close());
    return proxy;
  }
  function connections(...order: Parameters<typeof connectionsVia>): Dispatcher {
    const dispatcher = connectionsVia(...order);
    closing.push(() => dispatcher.destroy());
    return dispatcher;
  }
  const aServer = async () => {
    const certificate = await selfSigned(['secret.invalid']);
    return {
      certificate,
      address: await listen(createHttpsServer(certificate, (_, response) => response.end('hello'))),
    };
  };

  test('are tunnels to a server with TLS, whose certificate is checked', async () => {
    const { certificate, address } = await aServer();
    const proxy = await aProxy({ 'secret.invalid:6443': address }, 'user:p@ss');
    const uri = `http://user:p%40ss@${proxy.address}`;
    const trusting = connections(uri, { connect: { timeout: 10_000, ca: certificate.cert } });
    const { body } = await request('https://secret.invalid:6443/a', { dispatcher: trusting });
    expect(await body.text()).toBe('hello');
    expect(proxy).toMatchObject({ tunnels: ['secret.invalid:6443'], forwarded: [] });
    const distrusting = connections(uri, { connect: { timeout: 10_000 } });
    await expect(request('https://secret.invalid:6443/a', { dispatcher: distrusting })).rejects.toThrow(/self-signed/);
  });

  test('forward requests to a server without TLS, within the same limits', async () => {
    const address = await listen(createHttpServer((_, response) => response.end('0123456789')));
    const proxy = await aProxy({ 'ironic.invalid:6385': address });
    const dispatcher = connections(`http://${proxy.address}`, { connect: { timeout: 10_000 }, maxResponseSize: 4 });
    const { body } = await request('http://ironic.invalid:6385/v1/nodes', { dispatcher });
    await expect(body.text()).rejects.toThrow(/size/);
    expect(proxy).toMatchObject({ tunnels: [], forwarded: ['GET http://ironic.invalid:6385/v1/nodes'] });
  });

  test('fail where the proxy refuses, also with the wrong login', async () => {
    const { address } = await aServer();
    const proxy = await aProxy({ 'secret.invalid:6443': address }, 'user:password');
    const options = { connect: { timeout: 10_000 } };
    const anonymous = connections(`http://${proxy.address}`, options);
    await expect(request('https://secret.invalid:6443/', { dispatcher: anonymous })).rejects.toThrow(/407/);
    const known = connections(`http://user:password@${proxy.address}`, options);
    await expect(request('https://unknown.invalid/', { dispatcher: known })).rejects.toThrow(/403/);
  });

  test('fail when the proxy is silent for as long as a connection may take', async () => {
    const address = await listen(createServer(() => undefined));
    const dispatcher = connections(`http://${address}`, { connect: { timeout: 200 } });
    await expect(request('https://secret.invalid:6443/', { dispatcher })).rejects.toThrow(/Timeout/i);
  });
});
