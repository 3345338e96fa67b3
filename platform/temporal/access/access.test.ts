import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bridgeConfig, readConfig } from '../../config/config.ts';
import { createAuthority, DAY_MS, type KeyPair, selfSigned } from '../../tls/certificates.ts';
import { openTemporalAccess, type TemporalAccess } from './access.ts';

let dir: string;
let readings: string[];
let lines: { readonly msg: string; readonly error?: string }[];
const opened: TemporalAccess[] = [];
beforeEach(async () => {
  [readings, lines] = [[], []];
  dir = await mkdtemp(join(tmpdir(), 'temper-access-'));
});
afterEach(async () => {
  for (const access of opened.splice(0)) await access.close();
  await rm(dir, { recursive: true });
});

const path = (name: string): string => join(dir, name);
/** As Kubernetes does it: readers see the old content or the new one. */
async function put(name: string, content: string): Promise<void> {
  await writeFile(path(`.${name}`), content);
  await rename(path(`.${name}`), path(name));
}
async function putClient({ cert, key }: KeyPair): Promise<void> {
  await put('tls.crt', cert);
  await put('tls.key', key);
}
async function open(env: NodeJS.ProcessEnv): Promise<TemporalAccess> {
  const log = pino(
    { level: 'info' },
    { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) },
  );
  const access = await openTemporalAccess(readConfig(bridgeConfig, env), log, (result) => void readings.push(result));
  opened.push(access);
  return access;
}
const changeOf = (access: TemporalAccess): Promise<void> =>
  new Promise((resolve) => {
    const stop = access.follow(() => {
      stop();
      resolve();
    });
  });
const CLIENT = { TEMPORAL_TLS_CLIENT_CERT_PATH: 'tls.crt', TEMPORAL_TLS_CLIENT_KEY_PATH: 'tls.key' };
const inDir = (env: Readonly<Record<string, string>>): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).map(([name, file]) => [name, path(file)]));

describe('the credentials for Temporal', () => {
  test('are texts', async () => {
    const [{ cert: ca }, client] = [await createAuthority('CN=ca', DAY_MS), await selfSigned(['bridge'])];
    const { credentials, address, namespace } = await open({
      TEMPORAL_ADDRESS: 'cloud:7233',
      TEMPORAL_NAMESPACE: 'metal.a2dd6',
      TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
      TEMPORAL_TLS_SERVER_CA_CERT_DATA: ca,
      TEMPORAL_TLS_CLIENT_CERT_DATA: client.cert,
      TEMPORAL_TLS_CLIENT_KEY_DATA: client.key,
      TEMPORAL_API_KEY: 'key\n',
    });
    expect({ address, namespace, credentials }).toEqual({
      address: 'cloud:7233',
      namespace: 'metal.a2dd6',
      credentials: { tls: { serverName: 'temporal.example', ca, client }, apiKey: 'key' },
    });
  });

  test('are read from files, and again when these change', async () => {
    await put('key', 'first\n');
    const access = await open(inDir({ TEMPORAL_API_KEY_PATH: 'key' }));
    const changed = changeOf(access);
    await put('key', 'second\n');
    await changed;
    expect(access.credentials.apiKey).toBe('second');
    expect(readings).toContain('read');
  });

  test('stay in use while the new ones cannot be used, which is logged once', async () => {
    const [first, second] = [await selfSigned(['1']), await selfSigned(['2'])];
    await putClient(first);
    const access = await open(inDir(CLIENT));
    const changed = changeOf(access);
    await put('tls.crt', second.cert);
    await expect
      .poll(() => lines.map(({ error }) => error))
      .toContain('TEMPORAL_TLS_CLIENT_CERT_PATH: is not the certificate of the client key');
    expect(access.credentials.tls?.client).toEqual(first);
    await put('other', '');
    await put('tls.key', second.key);
    await changed;
    expect(access.credentials.tls?.client).toEqual(second);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'the new credentials for Temporal cannot be used; the old ones stay in use',
      'the credentials for Temporal were renewed',
    ]);
    expect(JSON.stringify(lines)).not.toContain('PRIVATE KEY');
  });

  test.each([
    ['a file that is missing', inMissing('TEMPORAL_API_KEY_PATH'), /TEMPORAL_API_KEY_PATH: ENOENT/],
    ['an API key of several lines', { TEMPORAL_API_KEY: 'a\nb' }, /TEMPORAL_API_KEY: is not an API key/],
    [
      'a CA that is none',
      { TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'ca' },
      /TEMPORAL_TLS_SERVER_CA_CERT_DATA: holds no certificate/,
    ],
  ])('refuse %s at the start, by the name of the setting', async (_, env, problem) => {
    await expect(open(env)).rejects.toThrow(problem);
  });
});

function inMissing(name: string): Record<string, string> {
  return { [name]: '/nowhere/at/all' };
}
