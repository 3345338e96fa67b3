import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { selfSigned } from '../platform/tls/certificates.ts';
import { type ConnectProxy, openConnectProxy } from '../test/builders/connect-proxy.ts';
import { connectKube } from './client.ts';

const SERVER = 'kube.invalid:6443';
const server = createServer((_, response) => response.end('{"kind":"Status"}'));
let folder: string;
let ca: string;
let usual: ConnectProxy;
let other: ConnectProxy;
beforeAll(async () => {
  const certificate = await selfSigned(['kube.invalid']);
  ca = certificate.cert;
  server.setSecureContext(certificate);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  folder = await mkdtemp(join(tmpdir(), 'temper-proxied-'));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Reads from the API server, with the usual proxy in the environment. */
async function read(cluster: object, NO_PROXY = ''): Promise<unknown> {
  const real = { [SERVER]: `127.0.0.1:${(server.address() as AddressInfo).port}` };
  [usual, other] = await Promise.all([openConnectProxy(real), openConnectProxy(real)]);
  closing.push(
    () => usual.close(),
    () => other.close(),
  );
  const kubeconfig = join(folder, 'kubeconfig');
  const data = { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const written = JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: `https://${SERVER}`, ...data, ...cluster } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
  await writeFile(kubeconfig, written.replace('OTHER', `http://${other.address}`));
  const kube = connectKube(kubeconfig, { proxies: { HTTPS_PROXY: `http://${usual.address}`, NO_PROXY } });
  closing.push(() => kube.close());
  return kube.request({ path: '/version' });
}

test('the API server is reached through the proxy of the environment', async () => {
  expect(await read({})).toEqual({ kind: 'Status' });
  expect([usual.tunnels, other.tunnels]).toEqual([[SERVER], []]);
});

test('the proxy-url of our own kubeconfig takes precedence', async () => {
  expect(await read({ 'proxy-url': 'OTHER' })).toEqual({ kind: 'Status' });
  expect([usual.tunnels, other.tunnels]).toEqual([[], [SERVER]]);
});

test('an API server in NO_PROXY is reached directly', async () => {
  await expect(read({}, '.invalid')).rejects.toThrow(/kube\.invalid/);
  expect([usual.tunnels, other.tunnels]).toEqual([[], []]);
});
