import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiServerOf, apiServerOf } from '../../test/builders/api-server-of.ts';
import { openConnectProxy } from '../../test/builders/connect-proxy.ts';
import { SERVER_NAME, temporalCertificates } from '../../test/builders/temporal-certificates.ts';
import { requested } from '../command-line.ts';
import { ironicVersion } from './ironic-version.ts';
import { versionCommand } from './options.ts';
import { ownVersion } from './own-version.ts';
import { type PartVersion, versionLines, versionsOf } from './version.ts';

const IMAGE = 'registry.example.com/temper:v1';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/temper-system/deployments';

let ironic: Server;
let answer: { readonly status: number; readonly body: string };
let endpoint: string;
let apiServer: ApiServerOf | undefined;
beforeEach(async () => {
  vi.stubEnv('IRONIC_ENDPOINT', '');
  vi.stubEnv('TEMPORAL_ADDRESS', '');
  answer = { status: 200, body: JSON.stringify({ id: 'v1', version: { id: 'v1', version: '1.95' } }) };
  ironic = createServer((_, response) => void response.writeHead(answer.status).end(answer.body));
  await new Promise<void>((resolve) => ironic.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(ironic.address() as AddressInfo).port}/v1/`;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  ironic.close();
  await apiServer?.close();
});

const deployment = (component: string, readyReplicas: number): object => ({
  metadata: {
    namespace: 'temper-system',
    name: `temper-${component}`,
    labels: { 'app.kubernetes.io/name': 'temper', 'app.kubernetes.io/component': component },
  },
  spec: {
    replicas: 2,
    template: {
      spec: { containers: [{ image: IMAGE, envFrom: [{ configMapRef: { name: 'temper-settings' } }] }] },
    },
  },
  status: { readyReplicas },
});

async function versions(settings: object = {}): Promise<readonly PartVersion[]> {
  await apiServer?.close();
  apiServer = await apiServerOf({
    '/version': { gitVersion: 'v1.34.1' },
    [DEPLOYMENTS]: { metadata: {}, items: [deployment('bridge', 2), deployment('workers', 1)] },
    '/api/v1/namespaces/temper-system/configmaps/temper-settings': {
      data: { IRONIC_ENDPOINT: endpoint, ...settings },
    },
  });
  return versionsOf(apiServer.kube, {}, 'temper-system');
}

describe('the versions of all parts', () => {
  test('are those of the servers, and the images of bridge and workers where Temporal is not known', async () => {
    const [client, ...others] = await versions();
    expect(client).toMatchObject({ part: 'client', version: expect.stringMatching(/^0\.1\.0/) as string });
    const image = (part: string, ready: number): string =>
      `Deployment temper-system/temper-${part}: ${IMAGE}, ${ready} of 2 ready; Temporal: TEMPORAL_ADDRESS is not set`;
    expect(others).toEqual([
      { part: 'bridge', details: image('bridge', 2) },
      { part: 'workers', details: image('workers', 1) },
      { part: 'Temporal', details: 'TEMPORAL_ADDRESS is not set' },
      { part: 'Ironic', version: 'API 1.95', details: endpoint },
      { part: 'API server', version: 'v1.34.1', details: '' },
    ]);
    expect(versionLines(others).at(-1)).toBe('API server  v1.34.1');
  });

  test('are named as unknown, with the reason, where a server does not tell its own', async () => {
    answer = { status: 503, body: 'away' };
    expect((await versions()).find(({ part }) => part === 'Ironic')).toEqual({
      part: 'Ironic',
      details: `${endpoint} answers with status 503`,
    });
  });

  test('are asked without a look at the certificate of Ironic where the installation does so, and nowhere else', async () => {
    const { server } = await temporalCertificates('the CA');
    const secured = createTlsServer(server, (_, response) => response.end(answer.body));
    await new Promise<void>((resolve) => secured.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(secured.address() as AddressInfo).port}/v1/`;
    const ofIronic = async (settings: object) => (await versions(settings)).find(({ part }) => part === 'Ironic');
    try {
      const insecure = { IRONIC_ENDPOINT: url, IRONIC_INSECURE: 'true' };
      expect(await ofIronic(insecure)).toMatchObject({ version: 'API 1.95' });
      expect((await ofIronic({ IRONIC_ENDPOINT: url }))?.version).toBeUndefined();
      vi.stubEnv('IRONIC_ENDPOINT', url);
      expect((await ofIronic(insecure))?.version).toBeUndefined();
    } finally {
      secured.close();
    }
  });

  test('are those of the environment before those of the installation', async () => {
    vi.stubEnv('IRONIC_ENDPOINT', 'http://127.0.0.1:9/');
    const { details } = (await versions()).find(({ part }) => part === 'Ironic') ?? {};
    expect(details).toContain("http://127.0.0.1:9/ can't be asked from here: ");
  });
});

describe('the version of Ironic', () => {
  test('is asked with the CA, the client certificate and the proxy of the environment', async () => {
    const { authority, server, client } = await temporalCertificates('the CA');
    const ca = authority.cert;
    const secured = createTlsServer({ ...server, ca, requestCert: true, rejectUnauthorized: true }, (_, response) =>
      response.end(answer.body),
    );
    await new Promise<void>((resolve) => secured.listen(0, '127.0.0.1', resolve));
    const name = `${SERVER_NAME}:6385`;
    const proxy = await openConnectProxy({ [name]: `127.0.0.1:${(secured.address() as AddressInfo).port}` });
    const dir = await mkdtemp(join(tmpdir(), 'temper-version-'));
    const files = {
      IRONIC_CACERT_FILE: ca,
      IRONIC_CLIENT_CERT_FILE: client.cert,
      IRONIC_CLIENT_PRIVATE_KEY_FILE: client.key,
    };
    for (const [setting, content] of Object.entries(files)) {
      await writeFile(join(dir, setting), content);
      vi.stubEnv(setting, join(dir, setting));
    }
    vi.stubEnv('HTTPS_PROXY', `http://${proxy.address}`);
    try {
      const address = `https://${name}/v1/`;
      expect(await ironicVersion(address)).toEqual({ version: 'API 1.95', details: address });
      expect(proxy.tunnels).toEqual([name]);
      vi.stubEnv('IRONIC_CACERT_FILE', '');
      expect((await ironicVersion(address)).details).toMatch(/can't be asked from here: .*certificate/);
      vi.stubEnv('IRONIC_INSECURE', 'true');
      expect(await ironicVersion(address)).toMatchObject({ version: 'API 1.95' });
    } finally {
      await proxy.close();
      secured.close();
      await rm(dir, { recursive: true });
    }
  });

  test('is told without the user, the password and the query of its address', async () => {
    const withSecrets = (url: string): string => `${url.replace('://', '://ada:secret@')}?token=secret`;
    expect(await ironicVersion(withSecrets(endpoint))).toEqual({ version: 'API 1.95', details: endpoint });
    answer = { status: 503, body: 'away' };
    expect(await ironicVersion(withSecrets(endpoint))).toEqual({ details: `${endpoint} answers with status 503` });
    for (const url of ['http://127.0.0.1:9/', 'http://a b/']) {
      const { details } = await ironicVersion(withSecrets(url));
      expect(details).toContain(`${url} can't be asked from here: `);
      expect(details).not.toContain('secret');
    }
  });
});

test('the own version has the commit of the checkout, or what the image tells', () => {
  expect(ownVersion()).toMatch(/^temper 0\.1\.0 \([0-9a-f]{7,}(-dirty)?\)$/);
  vi.stubEnv('TEMPER_REVISION', '6b2bc657');
  expect(ownVersion()).toBe('temper 0.1.0 (6b2bc657)');
});

test('the command line names the namespace of bridge and workers', () => {
  expect(requested(versionCommand, [])).toMatchObject({ bridgeNamespace: 'temper-system', output: 'text' });
  expect(requested(versionCommand, ['--bridge-namespace', 'metal', '-o', 'json'])).toMatchObject({
    bridgeNamespace: 'metal',
  });
});
