import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { execa } from 'execa';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { leasePath } from '../../kube/paths.ts';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { NODE_FLAGS } from '../../platform/node-flags.ts';
import { createAuthority, DAY_MS, issueCertificate } from '../../platform/tls/certificates.ts';
import { openScene, PATIENCE, type Scene } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';
import type { Flood } from './webhooks/flood.ts';

const MAIN = fileURLToPath(new URL('../../k8s-bridge/main.ts', import.meta.url));
const POD = fileURLToPath(new URL('../../deploy/kubernetes/base/bridge.yaml', import.meta.url));
const GROUP = 'infrastructure.cluster.x-k8s.io';
/** How long the API server waits for a webhook by default. */
const API_SERVER_WAITS_MS = 10_000;
/** The limit of the bridge's Pod, in GiB. */
const MEMORY = /limits:\s+cpu: \S+\s+memory: (\d+)Gi/;
/** What happens before the flood ends. */
const ENOUGH = { bodies: 40, renewals: 3 };

interface Replica {
  /** The most memory that the process has used, in MiB. */
  readonly peakMib: () => Promise<number>;
  readonly hasEnded: () => boolean;
  readonly stop: () => Promise<unknown>;
  readonly health: string;
  readonly webhooks: number;
}

let scene: Scene;
let dir: string;
let ca: string;
let dispatcher: Agent;
let leader: Replica;
let standby: Replica;
beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
  dir = await mkdtemp(join(tmpdir(), 'temper-flood-'));
  const authority = await createAuthority('CN=test', DAY_MS);
  const order = { subject: 'CN=x', usages: ['serverAuth'], names: ['127.0.0.1'], lifetimeMs: DAY_MS } as const;
  const { cert, key } = await issueCertificate(authority, order);
  await Promise.all([writeFile(join(dir, 'tls.crt'), cert), writeFile(join(dir, 'tls.key'), key)]);
  ca = authority.cert;
  dispatcher = new Agent({ connect: { ca } });
  leader = await startReplica('leader');
  await vi.waitUntil(async () => (await lease())?.holderIdentity === 'leader', PATIENCE);
  standby = await startReplica('standby');
  for (const { health } of [leader, standby]) {
    await vi.waitUntil(async () => (await statusOf(`${health}/readyz`).catch(() => 0)) === 200, PATIENCE);
  }
});
afterAll(async () => {
  await Promise.all([leader, standby].map((replica) => replica?.stop()));
  await dispatcher?.close();
  await rm(dir, { recursive: true });
  await scene.end();
});

async function startReplica(name: string): Promise<Replica> {
  const { ports } = await allocatePorts({ health: {}, webhooks: {} });
  const process = execa(globalThis.process.execPath, [...NODE_FLAGS.bridge, MAIN], {
    reject: false,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      KUBECONFIG: inject('kubeconfig'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_NAMESPACE: sharedControlPlane().temporalNamespace,
      HEALTH_ADDR: `127.0.0.1:${ports.health}`,
      METRICS_ADDR: '0',
      WATCH_NAMESPACE: scene.namespace,
      POD_NAMESPACE: scene.namespace,
      POD_NAME: name,
      ENABLE_LEADER_ELECTION: 'true',
      WEBHOOK_HOST: '127.0.0.1',
      WEBHOOK_PORT: String(ports.webhooks),
      WEBHOOK_CERT_DIR: dir,
    },
  });
  let hasEnded = false;
  void process.finally(() => (hasEnded = true));
  const stop = (): Promise<unknown> => {
    process.kill('SIGKILL');
    return process;
  };
  return {
    peakMib: async () => {
      const status = await readFile(`/proc/${process.pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
    },
    hasEnded: () => hasEnded,
    stop,
    health: `http://127.0.0.1:${ports.health}`,
    webhooks: ports.webhooks,
  };
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseTransitions?: number;
  readonly renewTime?: string;
}

async function lease(): Promise<LeaseSpec | undefined> {
  const path = leasePath({ namespace: scene.namespace, name: 'baremetal-operator' });
  return ((await scene.kube.find(path)) as { readonly spec: LeaseSpec } | undefined)?.spec;
}

/** The status of an answer; rejects when the API server would have given up. */
const statusOf = async (url: string, body?: string): Promise<number> => {
  const signal = AbortSignal.timeout(API_SERVER_WAITS_MS);
  const answer = await fetch(url, { dispatcher, signal, ...(body !== undefined && { method: 'POST', body }) });
  await answer.text();
  return answer.status;
};

const converting = JSON.stringify({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: {
    uid: 'u1',
    desiredAPIVersion: `${GROUP}/v1beta2`,
    objects: [{ apiVersion: `${GROUP}/v1beta1`, kind: 'Metal3DataClaim', spec: { template: { name: 't' } } }],
  },
});
const validating = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u1', operation: 'DELETE' },
});

/** What every bridge answers while it is well, with or without the Lease. */
const answersOf = ({ health, webhooks }: Replica): Promise<readonly number[]> =>
  Promise.all([
    statusOf(`${health}/healthz`),
    statusOf(`${health}/readyz`),
    statusOf(`https://127.0.0.1:${webhooks}/convert`, converting),
    statusOf(`https://127.0.0.1:${webhooks}/validate-metal3-io-v1alpha1-baremetalhost`, validating),
  ]);

describe('both bridges of a cluster', () => {
  test('answer reviews, the one without the Lease too', async () => {
    expect(await answersOf(leader)).toEqual([200, 200, 200, 200]);
    expect(await answersOf(standby)).toEqual([200, 200, 200, 200]);
  });

  test('keep the Lease, stay healthy and answer others in time during a flood of bodies of 60 and 256 MB', async () => {
    const before = await lease();
    const begun = new Int32Array(new SharedArrayBuffer(4));
    const ports = [leader.webhooks, standby.webhooks];
    const workerData = { ports, ca, path: '/convert', connections: 16, begun } satisfies Flood;
    const flood = new Worker(new URL('./webhooks/flood.ts', import.meta.url), { workerData });
    const renewed = new Set<string | undefined>();
    try {
      while (Atomics.load(begun, 0) < ENOUGH.bodies || renewed.size <= ENOUGH.renewals) {
        renewed.add((await lease())?.renewTime);
        expect(await answersOf(leader)).toEqual([200, 200, 200, 200]);
        expect(await answersOf(standby)).toEqual([200, 200, 200, 200]);
      }
    } finally {
      await flood.terminate();
    }
    expect(await lease()).toMatchObject({ holderIdentity: 'leader', leaseTransitions: before?.leaseTransitions });
    expect([leader.hasEnded(), standby.hasEnded()]).toEqual([false, false]);
    // The kernel ends a process with more memory than the limit of its Pod.
    const limit = Number(MEMORY.exec(await readFile(POD, 'utf8'))?.[1]) * 1024;
    for (const replica of [leader, standby]) expect(await replica.peakMib()).toBeLessThan(limit);
  });
});
