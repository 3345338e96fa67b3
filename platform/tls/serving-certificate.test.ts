import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type KeyPair, selfSigned } from './certificates.ts';
import { servingCertificate } from './serving-certificate.ts';

let dir: string;
let readings: string[];
const onRead = (result: string): void => void readings.push(result);
beforeEach(async () => {
  readings = [];
  dir = await mkdtemp(join(tmpdir(), 'temper-certificate-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function mount({ cert, key }: KeyPair): Promise<void> {
  await writeFile(join(dir, 'tls.crt'), cert);
  await writeFile(join(dir, 'tls.key'), key);
}

describe('the certificate of a server', () => {
  test('is made for its names, by itself, when none is mounted', async () => {
    const { cert, isSelfSigned } = await servingCertificate(
      join(dir, 'nothing'),
      ['metrics.metal.svc', 'localhost'],
      onRead,
    );
    const made = new X509Certificate(cert);
    expect(isSelfSigned).toBe(true);
    expect(made.subjectAltName).toBe('DNS:metrics.metal.svc, DNS:localhost');
    expect(made.verify(made.publicKey)).toBe(true);
  });

  test('is the mounted one, and each that takes its place', async () => {
    const [first, second] = [await selfSigned(['first']), await selfSigned(['second'])];
    await mount(first);
    const certificate = await servingCertificate(dir, ['unused'], onRead);
    expect(certificate).toMatchObject({ ...first, isSelfSigned: false });

    const renewed = new Promise<KeyPair>((resolve) => {
      const stop = certificate.follow((pair) => {
        stop();
        resolve(pair);
      });
    });
    await mount(second);
    expect(await renewed).toEqual(second);
  });

  test('is kept while the mounted files do not match', async () => {
    const [first, second, third] = [await selfSigned(['1']), await selfSigned(['2']), await selfSigned(['3'])];
    await mount(first);
    const certificate = await servingCertificate(dir, ['unused'], onRead);
    const renewed = new Promise<KeyPair>((resolve) => {
      const stop = certificate.follow((pair) => {
        stop();
        resolve(pair);
      });
    });
    await writeFile(join(dir, 'tls.crt'), second.cert);
    await mount(third);
    expect(await renewed).toEqual(third);
    expect([readings[0], readings.at(-1)]).toEqual(['read', 'read']);
    expect(readings).toContain('failed');
  });

  test('is refused at the start when it can not be used', async () => {
    const [one, other] = [await selfSigned(['one']), await selfSigned(['other'])];
    await mount({ cert: one.cert, key: other.key });
    await expect(servingCertificate(dir, ['unused'], onRead)).rejects.toThrow('are not a certificate and its key');
    expect(readings).toEqual(['failed']);
  });
});
