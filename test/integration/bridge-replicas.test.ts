import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { leasePath } from '../../kube/paths.ts';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { atNight } from '../at-night.ts';
import { openScene, PATIENCE, type Scene } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';

const MAIN = fileURLToPath(new URL('../../k8s-bridge/main.ts', import.meta.url));

let scene: Scene;
const replicas: ReturnType<typeof spawnReplica>[] = [];

beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
  await scene.startRecorder();
});
afterEach(async () => {
  for (const { process } of replicas.splice(0)) {
    process.kill('SIGKILL');
    await process;
  }
});
afterAll(() => scene.end());

function spawnReplica(name: string, [port, metricsPort]: readonly number[], env: Record<string, string>) {
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
      WEBHOOK_PORT: '0',
      METRICS_INSECURE: 'true',
      METRICS_ADDR: `127.0.0.1:${metricsPort}`,
      ...env,
    },
  });
  return { process, health: `http://127.0.0.1:${port}`, metrics: `http://127.0.0.1:${metricsPort}/metrics` };
}

async function startReplica(name: string, env: Record<string, string> = {}) {
  const { ports } = await allocatePorts({ health: {}, metrics: {} });
  const replica = spawnReplica(name, [ports.health, ports.metrics], env);
  replicas.push(replica);
  return replica;
}

async function holder(): Promise<string | undefined> {
  const path = leasePath({ namespace: scene.namespace, name: 'baremetal-operator' });
  const lease = (await scene.kube.find(path)) as { spec: { holderIdentity?: string } } | undefined;
  return lease?.spec.holderIdentity;
}

/** Whether the replica reports that it leads; undefined while it reports nothing. */
async function isMaster({ metrics }: { readonly metrics: string }): Promise<string | undefined> {
  const text = await fetch(metrics).then(
    (response) => response.text(),
    () => '',
  );
  return /^leader_election_master_status\{name="baremetal-operator"\} (\d)$/m.exec(text)?.[1];
}

const statusOf = async ({ health }: { readonly health: string }, path: string): Promise<number> =>
  (await fetch(health + path).catch(() => ({ status: 0 }))).status;

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

describe('a bridge alone', () => {
  test('says when it is ready, and ends in good order when asked to', async () => {
    const alone = await startReplica('alone', { ENABLE_LEADER_ELECTION: 'false' });
    await expect.poll(() => statusOf(alone, '/readyz'), PATIENCE).toBe(200);
    expect(await statusOf(alone, '/healthz')).toBe(200);

    alone.process.kill('SIGTERM');

    expect(await alone.process).toMatchObject({ exitCode: 0 });
  });
});
