import { createPrivateKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, DAY_MS, issueCertificate, type KeyPair } from '../../platform/tls/certificates.ts';
import { cpuTimeOf } from '../../test/builders/cpu-time.ts';
import { RefusedKubeconfig, readKubeconfig } from './kubeconfig.ts';

const CANARY = 'canary-5e1f';
/** What the operator lists. */
const LISTED = ['http://proxy.example:3128', `https://user:${CANARY}@guarded.example`];
const base64 = (text: string): string => Buffer.from(text).toString('base64');
let ca: KeyPair;
let client: KeyPair;
let other: KeyPair;
beforeAll(async () => {
  ca = await createAuthority('CN=ca', DAY_MS);
  const order = { subject: 'CN=admin', usages: ['clientAuth'], names: [], lifetimeMs: DAY_MS } as const;
  [client, other] = await Promise.all([issueCertificate(ca, order), issueCertificate(ca, order)]);
});

const good = () => ({
  cluster: { server: 'https://192.0.2.1:6443', 'certificate-authority-data': base64(ca.cert) },
  user: { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) },
});
const aKubeconfig = ({ cluster = {}, user = {} }: { cluster?: object; user?: object } = {}) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [
    { name: 'unused', cluster: {} },
    { name: 'c', cluster: { ...good().cluster, ...cluster } },
  ],
  users: [{ name: 'u', user: { ...good().user, ...user } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'default' } }],
  'current-context': 'x',
});
/** Why a kubeconfig is refused; undefined when it is not. */
function whyRefused(config: object | string): string | undefined {
  try {
    readKubeconfig(typeof config === 'string' ? config : JSON.stringify(config), LISTED);
    return undefined;
  } catch (error) {
    if (error instanceof RefusedKubeconfig) return error.message;
    throw error;
  }
}

describe('a kubeconfig of a workload cluster', () => {
  test('is read with inline CA, certificate and key', () => {
    expect(readKubeconfig(JSON.stringify(aKubeconfig()), [])).toEqual({
      server: 'https://192.0.2.1:6443',
      tls: { ca: ca.cert, cert: client.cert, key: client.key },
    });
  });

  test('is read with a token and a server name, without the fields that are empty', () => {
    const user = {
      'client-certificate-data': null,
      'client-key-data': null,
      token: 'abc.def',
      exec: null,
      tokenFile: '',
    };
    const config = aKubeconfig({
      cluster: { 'tls-server-name': 'kubernetes', 'insecure-skip-tls-verify': false, extensions: [{ name: 'x' }] },
      user,
    });
    expect(readKubeconfig(JSON.stringify(config), [])).toEqual({
      server: 'https://192.0.2.1:6443',
      tls: { ca: ca.cert, servername: 'kubernetes' },
      token: 'abc.def',
    });
  });

  test.each([
    ['http://proxy.example:3128', 'http://proxy.example:3128'],
    ['http://proxy.example:3128/', 'http://proxy.example:3128'],
    ['https://guarded.example', `https://user:${CANARY}@guarded.example`],
  ])('is read with the proxy %s, which the operator lists', (named, proxy) => {
    const config = aKubeconfig({ cluster: { 'proxy-url': named } });
    expect(readKubeconfig(JSON.stringify(config), LISTED)).toMatchObject({ proxy });
  });

  test.each([
    'http://127.0.0.1:3128',
    'https://proxy.example:3128',
    'http://proxy.example:3129',
    'http://user:pass@proxy.example:3128',
    'http://proxy.example:3128/path',
    'socks5://proxy.example:3128',
    'proxy.example:3128',
  ])('is refused with the proxy %s, which the operator does not list, and the setting is named', (named) => {
    expect(whyRefused(aKubeconfig({ cluster: { 'proxy-url': named } }))).toBe(
      'clusters[1].cluster.proxy-url is not one of WORKLOAD_CLUSTER_PROXIES, which the operator sets',
    );
  });

  test('runs no command', () => {
    const file = join(tmpdir(), `canary-${process.pid}`);
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'touch',
      args: [file],
      interactiveMode: 'Never',
    };
    expect(whyRefused(aKubeconfig({ user: { exec } }))).toBe('users[0].user.exec is not allowed');
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ['auth-provider', { name: 'gcp', config: { 'cmd-path': '/bin/sh' } }],
    ['client-certificate', '/etc/passwd'],
    ['client-key', '/etc/passwd'],
    ['tokenFile', '/var/run/secrets/kubernetes.io/serviceaccount/token'],
    ['username', 'admin'],
    ['password', CANARY],
    ['as', 'system:admin'],
    ['as-uid', '1'],
    ['as-groups', ['system:masters']],
    ['as-user-extra', { a: ['b'] }],
    ['exec', 'text'],
    ['exec', false],
  ])('is refused with %s of its user', (field, value) => {
    expect(whyRefused(aKubeconfig({ user: { [field]: value } }))).toBe(`users[0].user.${field} is not allowed`);
  });

  test.each([
    ['certificate-authority', '/etc/passwd', 'is not allowed'],
    ['proxy-url', { proxy: CANARY }, 'is not a text'],
    ['insecure-skip-tls-verify', true, 'is not allowed'],
    ['insecure-skip-tls-verify', 'true', 'is not allowed'],
    ['server', 'http://192.0.2.1:6443', 'must begin with https://'],
    ['server', 'file:///etc/passwd', 'must begin with https://'],
    ['server', 'unix:///run/containerd.sock', 'must begin with https://'],
    ['server', `https://user:${CANARY}@192.0.2.1`, 'must contain no user, query or fragment'],
    ['server', `https://192.0.2.1/?${CANARY}`, 'must contain no user, query or fragment'],
    ['server', CANARY, 'is not a URL'],
    ['server', null, 'is missing'],
    ['certificate-authority-data', CANARY, 'is not base64'],
    ['certificate-authority-data', base64(CANARY), 'is not PEM'],
    ['certificate-authority-data', base64(`-----BEGIN CERTIFICATE-----\n${CANARY}\n`), 'is no certificate'],
    ['tls-server-name', `a\r\n${CANARY}`, 'is not a name'],
  ])('is refused with this %s of its cluster: %s', (field, value, problem) => {
    const why = whyRefused(aKubeconfig({ cluster: { [field]: value } }));
    expect(why).toBe(`clusters[1].cluster.${field} ${problem}`);
    expect(why).not.toContain(CANARY);
  });

  test.each([
    ['token', `a\r\nx-forwarded-user: ${CANARY}`, 'is not a token'],
    ['token', { [CANARY]: 1 }, 'is not a text'],
    ['client-key-data', base64(`-----BEGIN PRIVATE KEY-----\n${CANARY}\n`), 'is no private key'],
    ['client-certificate-data', base64('-----BEGIN CERTIFICATE-----\n'), 'is no certificate'],
  ])('is refused with this %s of its user: %s', (field, value, problem) => {
    expect(whyRefused(aKubeconfig({ user: { [field]: value } }))).toBe(`users[0].user.${field} ${problem}`);
  });

  test('is refused with a key of another certificate, and with one that takes long to sign with', () => {
    const misfit = aKubeconfig({ user: { 'client-key-data': base64(other.key) } });
    expect(whyRefused(misfit)).toBe('users[0].user.client-key-data does not fit the certificate');
    // Its numbers have the size of a key's, which nobody checks before it is used.
    const number = (bytes: number): string => Buffer.alloc(bytes, 0xff).toString('base64url');
    const half = { p: number(257), q: number(257), dp: number(257), dq: number(257), qi: number(257) };
    const jwk = { kty: 'RSA', n: number(513), e: 'AQAB', d: number(513), ...half };
    const slow = base64(
      createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }).toString(),
    );
    expect(whyRefused(aKubeconfig({ user: { 'client-key-data': slow } }))).toMatch(/has more than 4096 bits$/);
  });

  test('is refused when it names what it does not have, or is too long', () => {
    const config = aKubeconfig();
    expect(whyRefused({ ...config, 'current-context': CANARY })).toBe('current-context names no context');
    expect(whyRefused({ ...config, clusters: [] })).toBe('the current context names no cluster');
    expect(whyRefused({ ...config, users: [] })).toBe('the current context names no user');
    expect(whyRefused({ ...config, contexts: [{ name: 1 }] })).toBe('contexts[0].name is malformed');
    expect(whyRefused('null')).toBe('it is malformed');
    expect(whyRefused(`# ${'x'.repeat(70_000)}`)).toBe('it is longer than 65536 characters');
  });

  test.each([
    ['brackets', '['.repeat(60_000)],
    ['keys', Array.from({ length: 7_000 }, (_, each) => `k${each}: 1\n`).join('')],
    ['texts', '""'.repeat(30_000)],
    ['empty lines', '\n'.repeat(60_000)],
  ])('that is made of %s is refused before it is parsed', (_, text) => {
    expect(whyRefused(text)).toBe('it has more than 2000 lines and signs of YAML');
    expect(cpuTimeOf(() => whyRefused(text))).toBeLessThan(120);
  });

  test('has no aliases', () => {
    expect(() => readKubeconfig('a: &a [1,1]\nb: &b [*a,*a]\nc: [*b,*b]', LISTED)).toThrow(/Alias/);
  });

  test.each([
    ['brackets', '['.repeat(1_990)],
    ['tables', '{a: '.repeat(660)],
    ['keys', Array.from({ length: 990 }, (_, each) => `k${each}: 1\n`).join('')],
    ['anchors', '- &a a\n'.repeat(660)],
    ['empty lines', '\n'.repeat(1_990)],
    ['words', 'a '.repeat(32_000)],
    ['escapes', `"${String.raw`\u0041`.repeat(10_000)}"`],
  ])('takes milliseconds of its thread at most when it is made of %s', (_, text) => {
    const read = (): void => {
      try {
        readKubeconfig(text, LISTED);
      } catch {
        // These are no kubeconfigs; the time is spent before that is known.
      }
    };
    expect(cpuTimeOf(read)).toBeLessThan(240);
  });

  test('takes milliseconds of its thread at most when it is full of certificates', () => {
    const authorities = base64(ca.cert.repeat(Math.floor(44_000 / ca.cert.length)));
    const text = JSON.stringify(aKubeconfig({ cluster: { 'certificate-authority-data': authorities } }));
    expect(cpuTimeOf(() => readKubeconfig(text, LISTED))).toBeLessThan(240);
  });
});
