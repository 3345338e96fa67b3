import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Kube } from '../../platform/kube.ts';
import { clusterManifests, secretOf, workloadKube } from './support/cluster.ts';
import { apply, createHost, hostIn, kubectl, NAMESPACE, secret } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { machineOf } from './support/metal.ts';
import { deployNode, installStandIn, runStandIn } from './support/stand-in.ts';

/**
 * Cluster API's own controllers make a cluster out of hosts of the lab: each machine becomes a node with nothing but what
 * is on its config drive.
 */
const CLUSTER = 'test1';
const HOSTS = [0, 1, 2, 3] as const;
const CONTROL_PLANES = 'cluster.x-k8s.io/control-plane';

let lab: TestLab;
let hosts: readonly string[];
let provider: { stop(): Promise<void> };
let workload: Kube;

beforeAll(async () => {
  lab = await aLab({ machines: HOSTS.length, clusterApi: true });
  await installStandIn(lab);
  hosts = await Promise.all(HOSTS.map((index) => createHost(lab, index)));
  await Promise.all(hosts.map((host) => hostIn(lab, host, 'available')));
  provider = runStandIn(lab, hosts.slice(0, 2));
  await apply(lab, ...(await clusterManifests(lab, CLUSTER)));
});
afterAll(async () => {
  await provider?.stop();
  await workload?.close();
  await lab?.stop();
});

const running = (selector: string): Promise<string> =>
  kubectl(lab, [
    'wait',
    'machines.v1beta2.cluster.x-k8s.io',
    '-l',
    selector,
    '--for=jsonpath={.status.phase}=Running',
    '--timeout=280s',
  ]);

const nodeSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({ taints: z.array(z.looseObject({ key: z.string() })).default([]) }),
});

async function nodes(): Promise<readonly z.infer<typeof nodeSchema>[]> {
  return z.looseObject({ items: z.array(nodeSchema) }).parse(await workload.request({ path: '/api/v1/nodes' })).items;
}

describe('a machine with bootstrap data', () => {
  test('that initialises becomes the control plane of its cluster', async () => {
    await kubectl(lab, [
      'wait',
      `kubeadmcontrolplane/${CLUSTER}`,
      '--for=jsonpath={.status.initialization.controlPlaneInitialized}=true',
      '--timeout=280s',
    ]);
    await running(CONTROL_PLANES);

    workload = await workloadKube(lab, CLUSTER);
    const [node] = await nodes();
    expect(node?.metadata.labels).toHaveProperty('node-role.kubernetes.io/control-plane');
    expect(node?.spec.taints.map(({ key }) => key)).toContain('node-role.kubernetes.io/control-plane');
  });

  test('that joins becomes a worker, by a certificate that the cluster signed', async () => {
    await running(`!${CONTROL_PLANES}`);

    const worker = (await nodes()).find(
      ({ metadata }) => !('node-role.kubernetes.io/control-plane' in metadata.labels),
    );
    expect(worker?.metadata.labels['metal3.io/uuid']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('of another cluster, or with another token, becomes no node', async () => {
    const value = await workerData();
    const token = /token: (\w{6}\.\w{16})/.exec(value)?.[1] ?? '';
    const wrong = {
      'wrong-hash': value.replace(/sha256:[0-9a-f]{64}/, `sha256:${'0'.repeat(64)}`),
      'wrong-token': value.replaceAll(token, `${token.slice(0, 7)}${'0'.repeat(16)}`),
    };
    const before = await nodes();

    for (const [at, [name, content]] of Object.entries(wrong).entries()) {
      const host = hosts[2 + at] ?? '';
      await apply(lab, secret(name, { value: content }));
      await deployNode(lab, host, { name, dataSecretName: name });
    }

    await expect.poll(() => failureOf(2), PATIENCE).toContain(`none of sha256:${'0'.repeat(64)}`);
    await expect.poll(() => failureOf(3), PATIENCE).toContain('signature of cluster-info');
    expect(await nodes()).toHaveLength(before.length);
  });
});

const PATIENCE = { timeout: 120_000, interval: 500 };

const nodeSight = z.looseObject({ phase: z.string(), error: z.string().default('') });

/** Why the n-th machine has failed to become a node; '' while it has not. */
async function failureOf(index: number): Promise<string> {
  const { node } = z.looseObject({ node: nodeSight.nullable() }).parse(await machineOf(lab, index));
  return node?.phase === 'failed' ? node.error : '';
}

/** The bootstrap data that the worker was given. */
async function workerData(): Promise<string> {
  const name = await kubectl(lab, [
    'get',
    'machines.v1beta2.cluster.x-k8s.io',
    '-n',
    NAMESPACE,
    '-l',
    `!${CONTROL_PLANES}`,
    '-o',
    'jsonpath={.items[0].spec.bootstrap.dataSecretName}',
  ]);
  return (await secretOf(lab, name))['value'] ?? '';
}
