import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensurePki, type Pki } from '../../lab/control-plane/certificates.ts';
import { bridgeConfig, readConfig } from '../config/config.ts';
import { tlsOptions } from './options.ts';

let dir: string;
let pki: Pki;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-tls-'));
  pki = await ensurePki(dir);
});
afterAll(() => rm(dir, { recursive: true }));

const optionsFor = (args: readonly string[]) => tlsOptions(readConfig(bridgeConfig, {}, args));

/** The result of a handshake between a client with these options and a server with that configuration. */
async function agreed(args: readonly string[], client: ConnectionOptions): Promise<string> {
  const [cert, key] = await Promise.all([readFile(pki.apiserver.cert), readFile(pki.apiserver.key)]);
  const server = createServer({ ...optionsFor(args), cert, key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...client }, () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().standardName}`);
        socket.destroy();
      });
      socket.on('error', () => resolve('refused'));
    });
  } finally {
    server.close();
  }
}

describe('our HTTPS servers', () => {
  test('speak TLS 1.2 and 1.3 when nothing is configured', async () => {
    expect(await agreed([], { maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1.2 /);
    expect(await agreed([], {})).toMatch(/^TLSv1.3 /);
  });

  test('refuse versions that are too old or too new', async () => {
    expect(await agreed(['-tls-min-version=TLS13'], { maxVersion: 'TLSv1.2' })).toBe('refused');
    expect(await agreed(['-tls-max-version=TLS12'], {})).toMatch(/^TLSv1.2 /);
  });

  test('speak TLS 1.2 in the chosen cipher suites alone, and TLS 1.3 in all of its own', async () => {
    const chosen = ['-tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'];
    const old = { maxVersion: 'TLSv1.2' } as const;
    expect(await agreed(chosen, old)).toMatch(/^TLSv1.2 TLS_ECDHE_(ECDSA|RSA)_WITH_AES_256_GCM_SHA384$/);
    const others = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256';
    expect(await agreed(chosen, { ...old, ciphers: others })).toBe('refused');
    expect(await agreed(chosen, { ciphers: 'TLS_AES_128_GCM_SHA256' })).toBe('TLSv1.3 TLS_AES_128_GCM_SHA256');
  });

  test('use the chosen key exchanges alone', async () => {
    const chosen = ['-tls-curve-preferences=CurveP384'];
    expect(await agreed(chosen, { ecdhCurve: 'P-384' })).toMatch(/^TLSv1.3/);
    expect(await agreed(chosen, { ecdhCurve: 'X25519' })).toBe('refused');
  });

  test('are not made when no version is left', () => {
    expect(() => optionsFor(['-tls-min-version=TLS13', '-tls-max-version=TLS12'])).toThrow(
      'TLS_MIN_VERSION TLS13 is newer than TLS_MAX_VERSION TLS12',
    );
  });
});
