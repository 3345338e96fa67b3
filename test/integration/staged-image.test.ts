import { copyFile, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { execa } from 'execa';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { LICENSES } from '../../deploy/image/licenses.ts';
import { bundleImage } from '../../deploy/image/programs.ts';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { IMAGE_FLAGS } from '../../platform/node-flags.ts';
import { createAuthority, DAY_MS, issueCertificate } from '../../platform/tls/certificates.ts';
import { cachedBundle } from '../../workers/bundle.ts';
import { type Collector, startCollector } from '../builders/collector.ts';
import { inRepository } from '../builders/compose-file.ts';
import { ofWorkspaces } from '../builders/package-files.ts';
import { openScene, type Scene } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';

/** The programs of the image, laid out as they are there, with the packages of the checkout. */
let folder: string;
let scene: Scene;
let collector: Collector;
let webhooks: string;
const stops: (() => Promise<unknown>)[] = [];
const lockFile = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().default(false) })) });
/** The certificate of the webhooks is made up. */
const anyCertificate = new Agent({ connect: { rejectUnauthorized: false } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-staged-'));
  await bundleImage(join(folder, 'programs'));
  await symlink(inRepository('node_modules'), join(folder, 'node_modules'));
  await copyFile(inRepository('package.json'), join(folder, 'package.json'));
  await writeFile(join(folder, 'workflow-bundle.js'), (await cachedBundle()).code);
  scene = await openScene(sharedControlPlane());
  collector = await startCollector();
  const order = { subject: 'CN=webhooks', usages: ['serverAuth'], names: ['127.0.0.1'], lifetimeMs: DAY_MS } as const;
  const { cert, key } = await issueCertificate(await createAuthority('CN=ca', DAY_MS), order);
  await writeFile(join(folder, 'tls.crt'), cert);
  await writeFile(join(folder, 'tls.key'), key);
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await collector?.close();
  await scene?.end();
  await anyCertificate.close();
  await rm(folder, { recursive: true });
});

/** Starts a program as its Pod does, with every part that is loaded only when it is configured. */
async function start(program: 'bridge' | 'workers'): Promise<string> {
  const { ports, release } = await allocatePorts({ health: {}, metrics: {}, webhooks: {} });
  webhooks = `https://127.0.0.1:${ports.webhooks}`;
  const { PATH = '' } = process.env;
  const child = execa(process.execPath, [...IMAGE_FLAGS[program], `programs/${program}.js`], {
    cwd: folder,
    env: {
      PATH,
      KUBECONFIG: inject('kubeconfig'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_NAMESPACE: sharedControlPlane().temporalNamespace,
      TEMPORAL_ENCRYPTION_KEYS: `first:${Buffer.alloc(32, 7).toString('base64')}`,
      WATCH_NAMESPACE: scene.namespace,
      POD_NAMESPACE: scene.namespace,
      PROVISIONER: 'fixture',
      HEALTH_ADDR: `127.0.0.1:${ports.health}`,
      METRICS_ADDR: `127.0.0.1:${ports.metrics}`,
      WEBHOOK_HOST: '127.0.0.1',
      WEBHOOK_PORT: String(ports.webhooks),
      WEBHOOK_CERT_DIR: folder,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
    extendEnv: false,
    reject: false,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  stops.push(async () => {
    child.kill('SIGTERM');
    expect((await child).exitCode).toBe(0);
    release();
  });
  const health = `http://127.0.0.1:${ports.health}`;
  await expect.poll(() => statusOf(`${health}/readyz`)).toBe(200);
  return health;
}

const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

describe('the programs of the image', () => {
  test('take a host into work, tell the collector of traces, and answer reviews', async () => {
    await start('workers');
    await start('bridge');
    await scene.createSecret('staged-bmc');
    await scene.createHost('staged', { spec: { bootMACAddress: '00:60:2f:00:00:01' } });
    await expect.poll(async () => (await scene.host('staged'))?.status?.provisioning?.state).toBe('available');
    await expect.poll(() => collector.spans.map(({ name }) => name)).toContain('RunActivity:registerNode');
    const review = await request(`${webhooks}/validate-metal3-io-v1alpha1-baremetalhost`, {
      method: 'POST',
      dispatcher: anyCertificate,
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await review.body.json()).toMatchObject({ response: { allowed: false, status: { code: 400 } } });
  });

  test('are bundled: no file of ours is translated when it is loaded', async () => {
    const files = await readdir(join(folder, 'programs'));
    expect(files.filter((file) => !file.endsWith('.js'))).toEqual([LICENSES]);
  });

  test('hold no package that the image does not list, and have the licenses of all beside them', async () => {
    const texts = await readFile(join(folder, 'programs', LICENSES), 'utf8');
    const bundled = [...texts.matchAll(/^# (\S+) \d\S*: /gm)].map(([, name = '']) => name);
    expect(bundled).toEqual(expect.arrayContaining(['zod', 'undici', 'hono', '@kubernetes/client-node']));
    const locked = lockFile.parse(JSON.parse(await readFile(inRepository('package-lock.json'), 'utf8'))).packages;
    const listed = Object.entries(locked).flatMap(([path, { dev }]) =>
      dev ? [] : [path.split('node_modules/').at(-1)],
    );
    const ofCommandLine = Object.keys(ofWorkspaces.get('cli')?.dependencies ?? {});
    expect(ofCommandLine).toContain('commander');
    expect(bundled.filter((name) => !listed.includes(name) || ofCommandLine.includes(name))).toEqual([]);
  });

  test.each([
    ['reading-thread', 'links: []', { kind: 'data', data: { links: [] } }],
    ['writing-thread', '{"links":[]}', { kind: 'yaml', text: 'links: []\n' }],
  ])('have the thread %s beside them', async (name, text, answer) => {
    const [program = ''] = (await readdir(join(folder, 'programs'))).filter((file) => file.startsWith(`${name}-`));
    const thread = new Worker(join(folder, 'programs', program));
    const answered = new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
    thread.postMessage(text);
    expect(await answered).toEqual(answer);
    await thread.terminate();
  });
});
