import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { Agent, fetch as fetchWith } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { leasePath } from '../../kube/paths.ts';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { selfSigned } from '../../platform/tls/certificates.ts';
import { atNight } from '../at-night.ts';
import { type Link, openLink } from '../chaos/link.ts';
import { openScene, PATIENCE, type Scene } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';

const MAIN = fileURLToPath(new URL('../../k8s-bridge/main.ts', import.meta.url));

let scene: Scene;
let certificates: string;
const replicas: ReturnType<typeof spawnReplica>[] = [];
const links: Link[] = [];
/** A TLS server answers here: only its certificate is not checked. */
const anyCertificate = new Agent({ connect: { rejectUnauthorized: false } });

beforeAll(async () => {
  certificates = await mkdtemp(join(tmpdir(), 'temper-replicas-'));
  const { cert, key } = await selfSigned(['127.0.0.1']);
  await writeFile(join(certificates, 'tls.crt'), cert);
  await writeFile(join(certificates, 'tls.key'), key);
  scene = await openScene(sharedControlPlane());
  await scene.startRecorder();
});
afterEach(async () => {
  for (const { process } of replicas.splice(0)) {
    process.kill('SIGKILL');
    await process;
  }
  for (const link of links.splice(0)) await link.close();
  // A bridge that was killed holds it for a minute.
  await scene.kube.request({ method: 'DELETE', path: theLease() }).catch(() => undefined);
});
afterAll(async () => {
  await scene.end();
  await anyCertificate.close();
  await rm(certificates, { recursive: true });
});

function spawnReplica(name: string, [port, metricsPort, webhooks]: readonly number[], env: Record<string, string>) {
  const process = execa(globalThis.process.execPath, [MAIN], {
    reject: false,
    // Kubernetes gives a Pod more time to end than execa does.
    forceKillAfterDelay: false,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      KUBECONFIG: inject('kubeconfig'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_NAMESPACE: sharedControlPlane().temporalNamespace,
      HEALTH_ADDR: `127.0.0.1:${port}`,
      WATCH_NAMESPACE: scene.namespace,
      POD_NAMESPACE: scene.namespace,
      POD_NAME: name,
      ENABLE_LEADER_ELECTION: 'true',
      // On a busy machine the leader may take long to renew its lease, and must not lose it.
      LEASE_DURATION_SECONDS: '60',
      RENEW_DEADLINE_SECONDS: '50',
      RETRY_PERIOD_SECONDS: '1',
      WEBHOOK_HOST: '127.0.0.1',
      WEBHOOK_PORT: String(webhooks),
      WEBHOOK_CERT_DIR: certificates,
      METRICS_INSECURE: 'true',
      METRICS_ADDR: `127.0.0.1:${metricsPort}`,
      ...env,
    },
  });
  return {
    process,
    health: `http://127.0.0.1:${port}`,
    metrics: `http://127.0.0.1:${metricsPort}/metrics`,
    webhooks: `https://127.0.0.1:${webhooks}`,
  };
}

async function startReplica(name: string, env: Record<string, string> = {}) {
  const { ports } = await allocatePorts({ health: {}, metrics: {}, webhooks: {} });
  const replica = spawnReplica(name, [ports.health, ports.metrics, ports.webhooks], env);
  replicas.push(replica);
  return replica;
}

const theLease = (): string => leasePath({ namespace: scene.namespace, name: 'baremetal-operator' });

async function holder(): Promise<string | undefined> {
  const lease = (await scene.kube.find(theLease())) as { spec: { holderIdentity?: string } } | undefined;
  return lease?.spec.holderIdentity;
}

/** Whether the replica reports that it leads; undefined while it reports nothing. */
async function isMaster(replica: Measured, lease = 'baremetal-operator'): Promise<string | undefined> {
  return new RegExp(`^leader_election_master_status\\{name="${lease}"\\} (\\d)$`, 'm').exec(
    await metricsOf(replica),
  )?.[1];
}

/** Whether the replica reports that Temporal answers it; undefined: it does not ask. */
async function temporalUp(replica: Measured, { address }: { readonly address: string }): Promise<string | undefined> {
  return new RegExp(`^temper_temporal_up\\{address="${address}"\\} (\\d)$`, 'm').exec(await metricsOf(replica))?.[1];
}

interface Measured {
  readonly metrics: string;
}
const metricsOf = ({ metrics }: Measured): Promise<string> =>
  fetch(metrics).then(
    (response) => response.text(),
    () => '',
  );

const statusOf = async ({ health }: { readonly health: string }, path: string): Promise<number> =>
  (await fetch(health + path).catch(() => ({ status: 0 }))).status;

interface Told {
  readonly status: number;
  readonly text: string;
}
const readyz = ({ health }: { readonly health: string }): Promise<Told> =>
  fetch(`${health}/readyz`).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    () => ({ status: 0, text: '' }),
  );

/** 404: the server of the webhooks has no such path. */
const webhookStatus = async ({ webhooks }: { readonly webhooks: string }): Promise<number> =>
  (await fetchWith(`${webhooks}/none`, { dispatcher: anyCertificate }).catch(() => ({ status: 0 }))).status;

/** A way to Temporal for some bridges alone. */
async function linkToTemporal() {
  const [, port] = inject('temporalAddress').split(':');
  let attempts = 0;
  const link = await openLink(() => {
    attempts += 1;
    return Number(port);
  });
  links.push(link);
  return { ...link, address: `127.0.0.1:${link.port}`, attempts: () => attempts };
}

const told = (name: string) =>
  expect.poll(() => scene.recorded(name), PATIENCE).toMatchObject({ snapshots: [expect.objectContaining({ name })] });

describe('of two bridges under one lease', () => {
  test('one works, and when it is killed the other carries on', async () => {
    const one = await startReplica('one');
    await expect.poll(holder, PATIENCE).toBe('one');
    const two = await startReplica('two');
    await scene.createHost('before');
    await told('before');
    await expect.poll(() => isMaster(two), PATIENCE).toBe('0');
    await expect.poll(() => isMaster(one), PATIENCE).toBe('1');

    one.process.kill('SIGKILL');
    await scene.createHost('after');

    await expect.poll(holder, PATIENCE).toBe('two');
    await told('after');
    await expect.poll(() => isMaster(two), PATIENCE).toBe('1');
  });

  test('the one that stops in good order lets the other in before its lease has run out', async ({ skip }) => {
    atNight(skip, 'test/integration/bridge-replicas.test.ts');
    const lasting = { LEASE_DURATION_SECONDS: '600', RENEW_DEADLINE_SECONDS: '60' };
    const three = await startReplica('three', lasting);
    await expect.poll(holder, PATIENCE).toBe('three');
    await startReplica('four', lasting);

    three.process.kill('SIGTERM');

    await expect.poll(holder, PATIENCE).toBe('four');
    expect(await three.process).toMatchObject({ exitCode: 0 });
  });
});

describe('of two bridges that can not reach Temporal', () => {
  test('the leader is not ready and the standby is, both answer webhooks, and both are ready once it answers', async () => {
    const temporal = await linkToTemporal();
    temporal.cut();
    const env = { TEMPORAL_ADDRESS: temporal.address };
    const leader = await startReplica('unheard', env);
    await expect.poll(() => isMaster(leader), PATIENCE).toBe('1');
    await expect.poll(temporal.attempts, PATIENCE).toBeGreaterThan(1);
    const standby = await startReplica('waiting', env);
    await expect.poll(() => readyz(standby), PATIENCE).toMatchObject({ status: 200 });
    expect(await readyz(leader)).toMatchObject({
      status: 503,
      text: `Temporal at ${temporal.address} does not answer yet\n`,
    });
    expect(await temporalUp(leader, temporal)).toBe('0');
    for (const replica of [leader, standby]) await expect.poll(() => webhookStatus(replica), PATIENCE).toBe(404);

    temporal.mend();
    await expect.poll(() => readyz(leader), PATIENCE).toMatchObject({ status: 200 });
    // The standby does not ask.
    expect([await temporalUp(leader, temporal), await temporalUp(standby, temporal)]).toEqual(['1', undefined]);
  });
});

describe('a bridge that loses Temporal', () => {
  test.each(['true', 'false'])('stays ready and warns (leader election: %s)', async (elected) => {
    const temporal = await linkToTemporal();
    const name = `loses-${elected}`;
    const bridge = await startReplica(name, {
      TEMPORAL_ADDRESS: temporal.address,
      ENABLE_LEADER_ELECTION: elected,
    });
    await expect.poll(() => readyz(bridge), PATIENCE).toEqual({ status: 200, text: 'ok\n' });
    expect(await temporalUp(bridge, temporal)).toBe('1');
    temporal.cut();
    await expect
      .poll(() => readyz(bridge), PATIENCE)
      .toEqual({
        status: 200,
        text: expect.stringMatching(
          new RegExp(`^ok\nwarning: Temporal at ${temporal.address} does not answer: [^\n]+\n$`),
        ) as unknown,
      });
    await expect.poll(() => temporalUp(bridge, temporal), PATIENCE).toBe('0');
    temporal.mend();
    await expect.poll(() => readyz(bridge), PATIENCE).toEqual({ status: 200, text: 'ok\n' });
    await expect.poll(() => temporalUp(bridge, temporal), PATIENCE).toBe('1');
  });
});

describe('a bridge alone', () => {
  test('says when it is ready, and ends in good order when asked to', async () => {
    const alone = await startReplica('alone', { ENABLE_LEADER_ELECTION: 'false' });
    await expect.poll(() => statusOf(alone, '/readyz'), PATIENCE).toBe(200);
    expect(await statusOf(alone, '/healthz')).toBe(200);
    expect(await isMaster(alone, 'temper-bridge')).toBe('1');

    alone.process.kill('SIGTERM');

    expect(await alone.process).toMatchObject({ exitCode: 0 });
  });
});
