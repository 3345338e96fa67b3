import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { createAuthority, DAY_MS, issueCertificate } from '../../platform/tls/certificates.ts';
import { atNight } from '../at-night.ts';
import { scriptIronic } from '../builders/scripted-ironic.ts';
import { sharedControlPlane } from './control-plane.ts';

const PROGRAMS = { bridge: '../../k8s-bridge/main.ts', workers: '../../workers/main.ts' } as const;
/** A TLS server answers here too: only its certificate is not checked. */
const anyCertificate = new Agent({ connect: { rejectUnauthorized: false } });

/** A server of the lab at an IPv6 address. */
interface OnIpv6 {
  /** `[::1]:port` */
  readonly address: string;
  /** Nobody answers there any more. */
  close(): void;
}

async function openOnIpv6(server: string): Promise<OnIpv6> {
  const [host = '', port = ''] = server.split(':');
  const connections = new Set<Socket>();
  const listener = createServer((socket) => {
    const beyond = connect(Number(port), host);
    socket.pipe(beyond).pipe(socket);
    connections.add(socket);
    for (const each of [socket, beyond]) each.on('error', () => [socket, beyond].forEach((one) => one.destroy()));
  });
  await new Promise<void>((resolve) => listener.listen(0, '::1', resolve));
  const at = listener.address();
  return {
    address: `[::1]:${typeof at === 'object' ? at?.port : ''}`,
    close() {
      listener.close();
      for (const socket of connections) socket.destroy();
    },
  };
}

let folder: string;
let temporal: OnIpv6;
const started: ReturnType<typeof start>[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-listeners-'));
  const order = { subject: 'CN=webhooks', usages: ['serverAuth'], names: ['::1'], lifetimeMs: DAY_MS } as const;
  const { cert, key } = await issueCertificate(await createAuthority('CN=ca', DAY_MS), order);
  await writeFile(join(folder, 'tls.crt'), cert);
  await writeFile(join(folder, 'tls.key'), key);
  temporal = await openOnIpv6(inject('temporalAddress'));
});
afterAll(async () => {
  for (const process of started) process.kill('SIGTERM');
  await Promise.all(started);
  temporal.close();
  await anyCertificate.close();
  await rm(folder, { recursive: true });
});

function start(program: keyof typeof PROGRAMS, env: Record<string, string>) {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return execa(process.execPath, [fileURLToPath(new URL(PROGRAMS[program], import.meta.url))], {
    env: {
      PATH,
      NODE_COMPILE_CACHE,
      KUBECONFIG: inject('kubeconfig'),
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: sharedControlPlane().temporalNamespace,
      WATCH_NAMESPACE: 'nothing-is-here',
      PROVISIONER: 'fixture',
      WEBHOOK_CERT_DIR: folder,
      ...env,
    },
    extendEnv: false,
    reject: false,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** The codec server needs a key. */
const ENCRYPTED = { TEMPORAL_ENCRYPTION_KEYS: `first:${Buffer.alloc(32, 7).toString('base64')}` };

interface Asked {
  readonly url: string;
  readonly method?: 'POST';
}

/** The status of an answer, or why there is none. */
const statusAt = ({ url, method }: Asked): Promise<number | string> =>
  request(url, { ...(method !== undefined && { method }), dispatcher: anyCertificate }).then(
    async ({ statusCode, body }) => {
      await body.dump();
      return statusCode;
    },
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );

async function portsFor(program: keyof typeof PROGRAMS) {
  const { ports } = await allocatePorts({ health: {}, metrics: {}, webhooks: {}, codec: {} });
  const served = (host: string): Record<string, Asked> => ({
    health: { url: `http://${host}:${ports.health}/readyz` },
    metrics: { url: `https://${host}:${ports.metrics}/metrics` },
    ...(program === 'bridge' && {
      webhooks: { url: `https://${host}:${ports.webhooks}/validate` },
      codec: { url: `https://${host}:${ports.codec}/decode`, method: 'POST' },
    }),
  });
  const statusesAt = async (host: string): Promise<Record<string, number | string>> =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(served(host)).map(async ([name, asked]) => [name, await statusAt(asked)] as const),
      ),
    );
  return { ports, statusesAt };
}

/** Without a token nobody reads the metrics or decrypts payloads, and nothing is validated at this path. */
const answersOf = (program: keyof typeof PROGRAMS) => ({
  health: 200,
  metrics: 401,
  ...(program === 'bridge' && { webhooks: 404, codec: 401 }),
});
const refusalsOf = (program: keyof typeof PROGRAMS) =>
  Object.fromEntries(Object.keys(answersOf(program)).map((name) => [name, 'ECONNREFUSED']));

describe.each(['bridge', 'workers'] as const)('all servers of the %s', (program) => {
  test('listen on IPv4 and IPv6 by default, and reach Temporal over IPv6', async () => {
    const { ports, statusesAt } = await portsFor(program);
    const addresses = {
      HEALTH_ADDR: `:${ports.health}`,
      METRICS_ADDR: `:${ports.metrics}`,
      CODEC_ADDR: `:${ports.codec}`,
      WEBHOOK_PORT: String(ports.webhooks),
    };
    started.push(start(program, { ...ENCRYPTED, ...addresses }));
    await expect.poll(() => statusesAt('[::1]')).toEqual(answersOf(program));
    expect(await statusesAt('127.0.0.1')).toEqual(answersOf(program));
  });

  test('listen on one IPv6 address where they are told to', async ({ skip }) => {
    atNight(skip, 'test/integration/listeners.test.ts');
    const { ports, statusesAt } = await portsFor(program);
    const addresses = {
      HEALTH_ADDR: `[::1]:${ports.health}`,
      METRICS_ADDR: `[::1]:${ports.metrics}`,
      CODEC_ADDR: `[::1]:${ports.codec}`,
      WEBHOOK_PORT: String(ports.webhooks),
      WEBHOOK_HOST: '[::1]',
    };
    started.push(start(program, { ...ENCRYPTED, ...addresses }));
    await expect.poll(() => statusesAt('[::1]')).toEqual(answersOf(program));
    expect(await statusesAt('127.0.0.1')).toEqual(refusalsOf(program));
  });
});

test('workers are ready while Temporal and Ironic answer over IPv6, and say which of them does not', async () => {
  const { ports } = await allocatePorts({ health: {} });
  const script = await scriptIronic();
  const ironic = await openOnIpv6(new URL(script.endpoint).host);
  const own = { HEALTH_ADDR: `[::1]:${ports.health}`, METRICS_ADDR: '0' };
  started.push(start('workers', { ...own, PROVISIONER: 'ironic', IRONIC_ENDPOINT: `http://${ironic.address}/v1/` }));
  const readyz = async (): Promise<{ readonly status: number; readonly lines: string }> => {
    const { statusCode: status, body } = await request(`http://[::1]:${ports.health}/readyz`);
    return { status, lines: await body.text() };
  };
  await expect.poll(() => readyz().catch(() => 'not started')).toEqual({ status: 200, lines: 'ok\n' });

  ironic.close();
  await script.close();
  const ironicIsMissing = "Ironic does not answer: can't list the drivers: no answer from Ironic at";
  await expect.poll(readyz).toEqual({ status: 503, lines: expect.stringContaining(ironicIsMissing) as unknown });
  expect((await readyz()).lines).not.toContain('Temporal');

  // The last test: nobody else needs Temporal at this address.
  temporal.close();
  const both = new RegExp(`^${ironicIsMissing}[^\n]*\nTemporal at \\S+ does not answer`, 'm');
  await expect.poll(readyz).toEqual({ status: 503, lines: expect.stringMatching(both) as unknown });
});
