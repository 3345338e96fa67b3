import { beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, DAY_MS, issueCertificate, type KeyPair } from '../../platform/tls/certificates.ts';
import {
  AUTHORITY_LIFETIME_MS,
  nextTask,
  type OwnCertificate,
  SERVING_LIFETIME_MS,
  stillTrusted,
} from './own-certificate.ts';

const NAMES = ['webhooks.temper-system.svc', '127.0.0.1'];

let authority: KeyPair;
let own: OwnCertificate;
beforeAll(async () => {
  authority = await createAuthority('CN=a', AUTHORITY_LIFETIME_MS);
  own = await signedBy(authority, NAMES);
});

async function signedBy(signer: KeyPair, names: readonly string[]): Promise<OwnCertificate> {
  const order = { subject: 'CN=b', usages: ['serverAuth'], names, lifetimeMs: SERVING_LIFETIME_MS } as const;
  return { ca: signer.cert, caKey: signer.key, serving: await issueCertificate(signer, order) };
}

const task = (
  stored: OwnCertificate | undefined,
  {
    days = 0,
    names = NAMES,
    bundles = [stored?.ca ?? ''],
  }: { days?: number; names?: string[]; bundles?: string[] } = {},
) => nextTask(stored, { names, bundles, now: Date.now() + days * DAY_MS });

describe('a certificate of our own', () => {
  test('is served while it is good for all names', () => {
    expect(task(own)).toBe('serve');
    expect(task(own, { names: ['127.0.0.1'] })).toBe('serve');
  });

  test('begins with an authority, which signs only once it is trusted', () => {
    expect(task(undefined)).toBe('create a CA');
    const unsigned = { ...own, serving: { cert: '', key: '' } };
    expect(task(unsigned, { bundles: [unsigned.ca, ''] })).toBe('publish the CA');
    expect(task(unsigned)).toBe('sign a certificate');
  });

  test('is made again when nobody accepts it yet, because the clock of a bridge was ahead', () => {
    expect(task(own, { days: -2 })).toBe('create a CA');
  });

  test('is signed again long before it expires, and for another name', () => {
    expect(task(own, { days: 240 })).toBe('serve');
    expect(task(own, { days: 250 })).toBe('sign a certificate');
    expect(task(own, { names: ['other.temper-system.svc'] })).toBe('sign a certificate');
    expect(task(own, { names: ['10.0.0.1'] })).toBe('sign a certificate');
  });

  test('follows its CA, which is created again long before it expires', async () => {
    expect(task(own, { days: 9 * 365 })).toBe('create a CA');
    const next = await createAuthority('CN=a', AUTHORITY_LIFETIME_MS);
    const both = { ...own, ca: next.cert + own.ca, caKey: next.key };
    expect(task(both, { bundles: [own.ca] })).toBe('publish the CA');
    expect(task(both)).toBe('sign a certificate');
    expect(task({ ...(await signedBy(next, NAMES)), ca: both.ca })).toBe('serve');
  });

  test('that is broken is created again', () => {
    expect(task({ ...own, ca: 'broken' })).toBe('create a CA');
    expect(task({ ...own, caKey: '' })).toBe('create a CA');
    expect(task({ ...own, serving: { ...own.serving, cert: 'broken' } })).toBe('sign a certificate');
    expect(task({ ...own, serving: { ...own.serving, key: '' } })).toBe('sign a certificate');
  });

  test('is trusted by its former authorities until these end', () => {
    expect(stillTrusted(own.ca, Date.now()).map((pem) => pem.trim())).toEqual([own.ca.trim()]);
    expect(stillTrusted(own.ca, Date.now() + AUTHORITY_LIFETIME_MS + DAY_MS)).toEqual([]);
    expect(stillTrusted('broken', Date.now())).toEqual([]);
  });
});
