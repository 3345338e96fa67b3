import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import type { Webhooks } from '../../k8s-bridge/webhooks/webhooks.ts';
import { secretPath, webhookConfigurationPath } from '../../kube/paths.ts';
import { createAuthority, DAY_MS, issueCertificate, type KeyPair } from '../../platform/tls/certificates.ts';
import { firstRefusal, openScene, PATIENCE, refusedBy, type Scene, servedSerial } from './webhooks/harness.ts';

const REFUSED = refusedBy(
  'baremetalhost',
  'the Firmware field is no longer supported, use HostFirmwareSettings resource instead',
);

let scene: Scene;
beforeEach(async () => {
  scene = await openScene(inject('kubeconfig'));
});
afterEach(() => scene.end());

const ready = (webhooks: Webhooks) => vi.waitFor(() => expect(webhooks.missing).toEqual([]), PATIENCE);
const serves = (webhooks: Webhooks, pair: KeyPair) =>
  vi.waitFor(
    async () => expect(await servedSerial(webhooks)).toBe(new X509Certificate(pair.cert).serialNumber),
    PATIENCE,
  );

describe('a certificate in a folder', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'temper-certs-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  const newPair = async () => {
    const authority = await createAuthority('CN=test', DAY_MS);
    const order = { subject: 'CN=x', usages: ['serverAuth'], names: ['127.0.0.1'], lifetimeMs: DAY_MS } as const;
    return { authority, pair: await issueCertificate(authority, order) };
  };
  /** As a kubelet does: a new folder, and a link that is replaced atomically. */
  const mount = async ({ cert, key }: KeyPair, version: string): Promise<void> => {
    await mkdir(join(dir, version));
    await writeFile(join(dir, version, 'tls.crt'), cert);
    await writeFile(join(dir, version, 'tls.key'), key);
    await symlink(version, join(dir, `data-${version}`));
    await rename(join(dir, `data-${version}`), join(dir, '..data'));
    for (const name of ['tls.crt', 'tls.key']) {
      await symlink(join('..data', name), join(dir, name)).catch(() => undefined);
    }
  };

  test('is served as soon as it exists, and until then the bridge is not ready', async () => {
    const webhooks = await scene.start({ WEBHOOK_CERT_DIR: dir });
    await vi.waitFor(() => expect(webhooks.missing).toEqual([`webhooks: there is no certificate in ${dir}`]), PATIENCE);
    const { authority, pair } = await newPair();
    await mount(pair, 'one');
    await ready(webhooks);
    await scene.register(webhooks, authority.cert);
    expect(await firstRefusal(scene)).toBe(REFUSED);
  });

  test('is exchanged without a restart, and connections stay open', async () => {
    const [first, second] = [await newPair(), await newPair()];
    await mount(first.pair, 'one');
    const webhooks = await scene.start({ WEBHOOK_CERT_DIR: dir });
    await serves(webhooks, first.pair);
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: first.authority.cert });
    const ask = () => asked(webhooks, agent);
    const before = await ask();

    await mount(second.pair, 'two');
    await serves(webhooks, second.pair);
    const after = await ask();
    agent.destroy();
    expect(after).toEqual({ status: 404, port: before.port });
  });

  test('that can not be used leaves the one before in place', async () => {
    const [first, second, third] = [await newPair(), await newPair(), await newPair()];
    await mount(first.pair, 'one');
    const webhooks = await scene.start({ WEBHOOK_CERT_DIR: dir });
    await serves(webhooks, first.pair);
    await mount({ cert: second.pair.cert, key: first.pair.key }, 'two');
    await mount(third.pair, 'three');
    await serves(webhooks, third.pair);
    await mount({ cert: second.pair.cert, key: first.pair.key }, 'four');
    expect(await servedSerial(webhooks)).toBe(new X509Certificate(third.pair.cert).serialNumber);
    expect(webhooks.missing).toEqual([]);
  });
});

describe('a certificate that the bridge manages', () => {
  const SECRET = 'temper-webhook-server-cert';
  const env = { WEBHOOK_CERTIFICATES: 'self-managed' };
  const secret = () => secretPath({ namespace: scene.namespace, name: SECRET });
  const stored = async (): Promise<Record<string, string>> => {
    const { data } = (await scene.kube.request({ path: secret() })) as { data: Record<string, string> };
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    );
  };
  const pairOf = (data: Record<string, string>): KeyPair => ({
    cert: data['tls.crt'] ?? '',
    key: data['tls.key'] ?? '',
  });

  test('waits until the webhooks are registered at the API server', async () => {
    const webhooks = await scene.start(env);
    await vi.waitFor(
      () =>
        expect(webhooks.missing).toEqual([
          `webhooks: there is no ValidatingWebhookConfiguration ${scene.configuration}`,
        ]),
      PATIENCE,
    );
    await scene.register(webhooks);
    await ready(webhooks);
    expect(await firstRefusal(scene)).toBe(REFUSED);
  });

  test('is the same for all replicas, whoever made it', async () => {
    const [one, two, three] = [await scene.start(env), await scene.start(env), await scene.start(env)];
    await scene.register(one);
    await Promise.all([one, two, three].map(ready));
    const pair = pairOf(await stored());
    for (const webhooks of [one, two, three]) await serves(webhooks, pair);
    expect(await firstRefusal(scene)).toBe(REFUSED);
  });

  test('is created again, without a restart, when its Secret is deleted or broken', async () => {
    const webhooks = await scene.start(env);
    await scene.register(webhooks);
    await ready(webhooks);
    const first = await stored();

    await scene.kube.request({ method: 'DELETE', path: secret() });
    const second = await vi.waitFor(async () => {
      const data = await stored();
      expect(data['tls.crt'] ?? '').not.toBe('');
      return data;
    }, PATIENCE);
    expect(second['tls.crt']).not.toBe(first['tls.crt']);
    await serves(webhooks, pairOf(second));
    expect(await firstRefusal(scene)).toBe(REFUSED);

    await scene.kube.patch(secret(), { data: { 'tls.crt': Buffer.from('broken').toString('base64') } });
    await vi.waitFor(async () => expect((await stored())['tls.crt']).toContain('CERTIFICATE'), PATIENCE);
    const third = await stored();
    expect(third['ca.crt']).toBe(second['ca.crt']);
    await serves(webhooks, pairOf(third));
    expect(await firstRefusal(scene)).toBe(REFUSED);
  });

  test('is trusted again after somebody took the bundle away', async () => {
    const webhooks = await scene.start(env);
    await scene.register(webhooks);
    await ready(webhooks);
    await scene.kube.request({ method: 'DELETE', path: webhookConfigurationPath(scene.configuration) });
    await scene.register(webhooks);
    expect(await firstRefusal(scene)).toBe(REFUSED);
  });
});

async function asked({ port }: Webhooks, agent: Agent): Promise<{ status: number; port: number | undefined }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; port: number | undefined }>();
  const request = get({ host: '127.0.0.1', port, agent, path: '/' }, (response) => {
    const { localPort } = response.socket;
    void text(response).then(() => resolve({ status: response.statusCode ?? 0, port: localPort }), reject);
  });
  request.on('error', reject);
  return promise;
}
