import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensurePki, type Pki } from '../../../lab/control-plane/certificates.ts';
import { readConfig, workersConfig } from '../../../platform/config/config.ts';
import { openConnectProxy } from '../../../test/builders/connect-proxy.ts';
import { createIronicClient, ironicClientOf } from './client.ts';
import { configuredConnection } from './configured-client.ts';
import type { IronicConnection } from './connection.ts';
import { FILES_MS, fixedSource } from './connection-source.ts';

let dir: string;
let pki: Pki;
const servers: Server[] = [];
let endpoint: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-tls-'));
  pki = await ensurePki(dir);
  endpoint = await serve('127.0.0.1');
});

/** Returns its address. */
async function serve(hostname: string): Promise<string> {
  const [cert, key, ca] = await Promise.all(
    [pki.apiserver.cert, pki.apiserver.key, pki.ca].map((file) => readFile(file)),
  );
  const server = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: false }, (incoming, outgoing) => {
    const { socket } = incoming as typeof incoming & { readonly socket: { readonly authorized: boolean } };
    outgoing.setHeader('content-type', 'application/json');
    // Only requests with a valid certificate get a list of drivers.
    outgoing.end(
      JSON.stringify({ version: { version: '1.110' }, drivers: socket.authorized ? [{ name: 'redfish' }] : [] }),
    );
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, hostname, resolve));
  return `https://${hostname}:${(server.address() as AddressInfo).port}/v1/`;
}

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(dir, { recursive: true });
});

async function outcome(connection: Partial<IronicConnection>): Promise<string> {
  const client = await createIronicClient({ endpoint, pausesMs: [], ...connection });
  try {
    return (await client.version()).header;
  } catch (error) {
    return String(error);
  } finally {
    await client.close();
  }
}

const certificate = (): Partial<IronicConnection> => ({
  clientCertificateFile: pki.admin.cert,
  clientKeyFile: pki.admin.key,
});

describe('a connection over TLS', () => {
  test('trusts the authority it is given, and shows its own certificate', async () => {
    expect(await outcome({ caFile: pki.ca, ...certificate() })).toBe('1.110');
  });

  test('trusts any server when configured to', async () => {
    expect(await outcome({ insecure: true, ...certificate() })).toBe('1.110');
  });

  test('goes through the proxy of the environment, with the same certificates', async () => {
    const server = 'kubernetes.default.svc:6385';
    const proxy = await openConnectProxy({ [server]: new URL(endpoint).host });
    const proxies = { HTTPS_PROXY: `http://${proxy.address}`, NO_PROXY: '' };
    const order = { endpoint: `https://${server}/v1/`, caFile: pki.ca, ...certificate() };
    expect(await outcome({ ...order, proxies })).toBe('1.110');
    expect(new Set(proxy.tunnels)).toEqual(new Set([server]));
    expect(await outcome({ ...order, proxies: { ...proxies, NO_PROXY: '.svc' } })).toMatch(
      /no answer from Ironic at https:.*kubernetes\.default\.svc/,
    );
    await proxy.close();
  });

  test('does not trust an authority it does not know', async () => {
    expect(await outcome({ caFile: '/nowhere/ca.crt', ...certificate() })).toMatch(
      /no answer from Ironic at https:.*certificate/,
    );
  });

  test('does not trust a certificate of another host, whatever the settings for names', async () => {
    const elsewhere = await serve('127.0.0.2');
    const reached = (env: NodeJS.ProcessEnv): Promise<string> => {
      const given = { IRONIC_ENDPOINT: elsewhere, IRONIC_CACERT_FILE: pki.ca, IRONIC_SKIP_CLIENT_SAN_VERIFY: 'true' };
      const config = readConfig(workersConfig, { ...given, ...env });
      return outcome({ ...configuredConnection(config), ...certificate(), endpoint: elsewhere });
    };
    expect(await reached({})).toMatch(/IP: 127.0.0.2 is not in the cert's list/);
    expect(await reached({ IRONIC_INSECURE: 'true' })).toBe('1.110');
  });

  test('uses renewed files without a restart, and stays with the old ones while the new ones are of no use', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'temper-tls-'));
    const others = await ensurePki(await mkdtemp(join(folder, 'others-')));
    const files = {
      caFile: join(folder, 'ca'),
      clientCertificateFile: join(folder, 'crt'),
      clientKeyFile: join(folder, 'key'),
    };
    const renew = async ({ ca, admin }: Pki): Promise<void> => {
      await copyFile(ca, files.caFile);
      await copyFile(admin.cert, files.clientCertificateFile);
      await copyFile(admin.key, files.clientKeyFile);
    };
    await renew(pki);
    const rotated = await serve('127.0.0.1');
    const server = servers.at(-1);
    let now = 0;
    const client = ironicClientOf(await fixedSource({ endpoint: rotated, ...files }, () => now), { pausesMs: [] });
    const answers = () => client.answers(AbortSignal.timeout(10_000)).then(() => 'yes', String);
    expect(await answers()).toBe('yes');

    await writeFile(files.clientKeyFile, await readFile(others.admin.key));
    now += FILES_MS;
    expect(await answers()).toBe('yes');

    const [cert, key, ca] = await Promise.all(
      [others.apiserver.cert, others.apiserver.key, others.ca].map((file) => readFile(file)),
    );
    server?.setSecureContext({ cert, key, ca });
    server?.closeAllConnections();
    // The closed connections may not be noticed at once.
    await expect.poll(answers).toMatch(/certificate/);
    await renew(others);
    now += FILES_MS;
    expect(await answers()).toBe('yes');
    await client.close();
    await rm(folder, { recursive: true });
  });

  test('shows no certificate when it has none', async () => {
    expect(await outcome({ caFile: pki.ca, clientCertificateFile: '/nowhere/tls.crt' })).toMatch(/no drivers/);
  });
});
