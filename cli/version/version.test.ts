import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiServerOf, apiServerOf } from '../../test/builders/api-server-of.ts';
import { versionRequest } from './options.ts';
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

async function versions(): Promise<readonly PartVersion[]> {
  apiServer = await apiServerOf({
    '/version': { gitVersion: 'v1.34.1' },
    [DEPLOYMENTS]: { metadata: {}, items: [deployment('bridge', 2), deployment('workers', 1)] },
    '/api/v1/namespaces/temper-system/configmaps/temper-settings': { data: { IRONIC_ENDPOINT: endpoint } },
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

  test('are those of the environment before those of the installation', async () => {
    vi.stubEnv('IRONIC_ENDPOINT', 'http://127.0.0.1:9/');
    const { details } = (await versions()).find(({ part }) => part === 'Ironic') ?? {};
    expect(details).toContain("http://127.0.0.1:9/ can't be asked from here: ");
  });
});

test('the own version has the commit of the checkout, or what the image tells', () => {
  expect(ownVersion()).toMatch(/^temper 0\.1\.0 \([0-9a-f]{7,}(-dirty)?\)$/);
  vi.stubEnv('TEMPER_REVISION', '6b2bc657');
  expect(ownVersion()).toBe('temper 0.1.0 (6b2bc657)');
});

test('the command line names the namespace of bridge and workers', () => {
  expect(versionRequest([])).toMatchObject({ bridgeNamespace: 'temper-system', output: 'text' });
  expect(versionRequest(['--bridge-namespace', 'metal', '-o', 'json'])).toMatchObject({ bridgeNamespace: 'metal' });
});
