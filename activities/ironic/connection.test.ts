import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensurePki, type Pki } from '../../lab/control-plane/certificates.ts';
import { createIronicClient } from './client.ts';
import type { IronicConnection } from './connection.ts';

let dir: string;
let pki: Pki;
let server: Server;
let endpoint: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-tls-'));
  pki = await ensurePki(dir);
  const [cert, key, ca] = await Promise.all(
    [pki.apiserver.cert, pki.apiserver.key, pki.ca].map((file) => readFile(file)),
  );
  server = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: false }, (incoming, outgoing) => {
    const { socket } = incoming as typeof incoming & { readonly socket: { readonly authorized: boolean } };
    outgoing.setHeader('content-type', 'application/json');
    // The drivers, which must not be none, are for those with a certificate.
    outgoing.end(
      JSON.stringify({ version: { version: '1.110' }, drivers: socket.authorized ? [{ name: 'redfish' }] : [] }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
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

  test('trusts anybody when told to', async () => {
    expect(await outcome({ insecure: true, ...certificate() })).toBe('1.110');
  });

  test('does not trust an authority it does not know', async () => {
    expect(await outcome({ caFile: '/nowhere/ca.crt', ...certificate() })).toMatch(
      /no answer from Ironic at https:.*certificate/,
    );
  });

  test('shows no certificate when it has none', async () => {
    expect(await outcome({ caFile: pki.ca, clientCertificateFile: '/nowhere/tls.crt' })).toMatch(/no drivers/);
  });
});
