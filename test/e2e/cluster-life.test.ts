import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connectKubeconfig } from '../../kube/client.ts';
import { collectionPath, configMapPath, secretPath } from '../../kube/paths.ts';
import { ADMIN, FIRST_ADMIN, KUBELET, KUBERNETES } from '../../lab/node/kubeadm.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import {
  CLUSTER_LABEL,
  type ClusterRecord,
  clusterManifests,
  contentOf,
  dataTemplate,
  machineTemplate,
  openWorkload,
  recordClusters,
  runningWorkers,
  templateName,
  type Workload,
} from './support/cluster.ts';
import { keepRuns } from './support/histories.ts';
import { apply, createHost, editHost, getHost, hostIn, kubectl, NAMESPACE, secret } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { get, type KindName, list, PATIENCE } from './support/machines.ts';
import { filesOf, machineOf, powerOf } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';

/** The life of a running cluster: it grows, shrinks and is deleted; and machines that cannot join it. */
const CLUSTER = 'test1';
const CONTROL_PLANE = 0;
const WORKERS = [1, 2, 3, 4] as const;
/** Deployed by hand: with wrong user data, and with valid user data. */
const STRANGERS = [5, 6, 7] as const;
const WELCOME = 8;
const HOSTS = [CONTROL_PLANE, ...WORKERS, ...STRANGERS, WELCOME];
const UNUSED = 'unused';

let lab: TestLab;
let record: ClusterRecord;
let workload: Workload;

beforeAll(async () => {
  lab = await joinLab({ machines: HOSTS.length });
  record = recordClusters(lab);
  const hosts = await Promise.all(HOSTS.map((index) => createHost(lab, index)));
  await Promise.all(hosts.map((host) => hostIn(lab, host, 'available')));
  await kubectl(lab, ['label', 'bmh', `host-${CONTROL_PLANE}`, 'role=control-plane']);
  await kubectl(lab, ['label', 'bmh', ...WORKERS.map((index) => `host-${index}`), 'role=worker']);
  await apply(
    lab,
    ...(await clusterManifests(lab, CLUSTER, { workers: 2 })),
    machineTemplate(lab, { name: UNUSED }),
    dataTemplate(UNUSED),
  );
  workload = await openWorkload(record, CLUSTER);
  await runningWorkers(lab, CLUSTER, 2);
});
afterAll(async () => {
  record?.close();
  await workload?.close();
  await lab?.stop();
});

const indexOf = async (machine: string): Promise<number> => {
  const { name } = await record.first('BareMetalHost', { spec: { consumerRef: { name: machine } } });
  return Number(name.split('-')[1]);
};

const ZEROS = '0'.repeat(64);
/** Tokens reduced to their ids. */
const withoutSecret = (data: string): string => data.replaceAll(/(token: \w{6}\.)\w{16}/g, `$1${'0'.repeat(16)}`);
const SPOILT = [
  {
    what: 'hash of the authority',
    spoil: (data: string) => data.replace(/sha256:[0-9a-f]{64}/, `sha256:${ZEROS}`),
    error: `none of sha256:${ZEROS}`,
  },
  {
    what: 'token',
    spoil: withoutSecret,
    error: 'signature of cluster-info',
  },
  {
    what: 'key than its metadata has',
    spoil: (data: string) => data.replaceAll('ds.meta_data.name', 'ds.meta_data.title'),
    error: 'output null or undefined value',
  },
].map((each, at) => ({ ...each, index: STRANGERS[at] ?? 0 }));

describe('a machine with the bootstrap data of a worker', () => {
  let machine: string;
  let value: string;

  beforeAll(async () => {
    [machine = ''] = await runningWorkers(lab, CLUSTER, 2);
    value = contentOf((await record.first('Secret', {}, machine)).object)['value'] ?? '';
    await Promise.all([...SPOILT.map(({ index, spoil }) => deploy(index, spoil(value))), deploy(WELCOME, value)]);
  });

  test('and a name of its own is deployed and becomes a Node', async () => {
    await hostIn(lab, `host-${WELCOME}`, 'provisioned');
    await workload.record.first('Node', {}, `host-${WELCOME}`);
  });

  test.each(SPOILT)('but another $what is deployed and becomes no Node', async ({ spoil, error, index }) => {
    expect(spoil(value)).not.toBe(value);
    await expect.poll(() => failureOf(index), PATIENCE).toContain(error);
    await hostIn(lab, `host-${index}`, 'provisioned');
    expect(workload.record.looks('Node').map(({ name }) => name)).not.toContain(`host-${index}`);
  });

  test('is known to the API server by its whole token', async () => {
    const kubeconfig = await filesOf(lab, await indexOf(machine)).read(`${KUBERNETES}/bootstrap-kubelet.conf`);
    expect(await statusFor(kubeconfig)).toBe(200);
    expect(await statusFor(withoutSecret(kubeconfig))).toBe(401);
  });

  test('has no kubeconfig of an administrator, which the first control plane has', async () => {
    const [one = '', other = ''] = await runningWorkers(lab, CLUSTER, 2);
    const found = [CONTROL_PLANE, await indexOf(one), await indexOf(other)].map((index) =>
      [ADMIN, FIRST_ADMIN, KUBELET].filter((path) => filesOf(lab, index).has(path)),
    );
    expect(found).toEqual([[ADMIN, FIRST_ADMIN, KUBELET], [KUBELET], [KUBELET]]);
  });
});

/** Deploys the n-th host, which has no machine, with this user data and its own name. */
async function deploy(index: number, userData: string): Promise<void> {
  const host = `host-${index}`;
  const { metadata } = (await getHost(lab, host)) ?? {};
  await apply(
    lab,
    secret(`${host}-user-data`, { value: userData }),
    secret(`${host}-metadata`, { metaData: JSON.stringify({ name: host, uuid: metadata?.uid }) }),
  );
  await editHost(lab, host, {
    image: lab.endpoints.testImage,
    userData: { name: `${host}-user-data`, namespace: NAMESPACE },
    metaData: { name: `${host}-metadata`, namespace: NAMESPACE },
  });
}

/** The status of a cluster's API server for a request with this kubeconfig that every joining machine sends. */
async function statusFor(kubeconfig: string): Promise<number> {
  const kube = connectKubeconfig(kubeconfig);
  try {
    await kube.request({ path: configMapPath({ namespace: 'kube-system', name: 'kubeadm-config' }) });
    return 200;
  } catch (error) {
    return z.object({ status: z.number() }).parse(error).status;
  } finally {
    await kube.close();
  }
}

const sight = z.looseObject({ node: z.looseObject({ phase: z.string(), error: z.string().default('') }).nullable() });

/** Why the n-th machine failed to become a Node; '' while it has not failed. */
async function failureOf(index: number): Promise<string> {
  const { node } = sight.parse(await machineOf(lab, index));
  return node?.phase === 'failed' ? node.error : '';
}

const scale = (workers: number): Promise<string> =>
  kubectl(lab, ['scale', 'machinedeployment', CLUSTER, `--replicas=${workers}`]);

describe('a deployment of machines', () => {
  test('grows from 2 to 4 on hosts that were free', async () => {
    await scale(4);
    const workers = await runningWorkers(lab, CLUSTER, 4);
    const indices = await Promise.all(workers.map(indexOf));
    expect(new Set(indices)).toEqual(new Set(WORKERS));
    for (const name of workers) await workload.record.first('Node', ({ spec }) => spec.providerID !== undefined, name);
  });

  test('shrinks from 4 to 1, and drains each Node before it lets its host go', async () => {
    const [kept = '', busy = '', ...others] = await runningWorkers(lab, CLUSTER, 4);
    const doomed = [busy, ...others];
    await kubectl(lab, [
      'annotate',
      'machines.v1beta2.cluster.x-k8s.io',
      ...doomed,
      'cluster.x-k8s.io/delete-machine=',
    ]);
    await holdingPod(busy);
    await scale(1);

    for (const name of others) await record.gone('Machine', name);
    await workload.record.first('Pod', ({ metadata }) => 'deletionTimestamp' in metadata, HOLDING);
    const host = `host-${await indexOf(busy)}`;
    expect((await get(lab, 'metal3Machine', busy))?.metadata).not.toHaveProperty('deletionTimestamp');
    expect((await getHost(lab, host))?.status.provisioning.state).toBe('provisioned');

    await workload.kube.patch(podPath, { metadata: { finalizers: null } });
    const drained = await workload.record.gone('Pod', HOLDING);
    const deleted = await record.first('Metal3Machine', ({ metadata }) => 'deletionTimestamp' in metadata, busy);
    expect(deleted.revision).toBeGreaterThan(drained.revision);
    expect(await runningWorkers(lab, CLUSTER, 1)).toEqual([kept]);
    for (const name of doomed) {
      await expectFree(await indexOf(name));
      await workload.record.gone('Node', name);
    }
    await keepRuns(lab, 'scaled-down', entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name: busy }));
  });
});

const HOLDING = 'holding';
const podPath = `/api/v1/namespaces/default/pods/${HOLDING}`;

/** A Pod on a Node that cannot be evicted until the test allows it. */
async function holdingPod(node: string): Promise<void> {
  await workload.kube.request({
    method: 'POST',
    path: '/api/v1/namespaces/default/pods',
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: HOLDING, finalizers: ['example.com/hold'] },
      spec: { nodeName: node, containers: [{ name: 'any', image: 'any' }] },
    },
  });
  await workload.record.first('Pod', { status: { phase: 'Running' } }, HOLDING);
}

/** The host has no consumer, and its machine was erased, as at the start, and is powered off. */
async function expectFree(index: number): Promise<void> {
  const { spec, metadata, status } = await hostIn(lab, `host-${index}`, 'available');
  for (const field of ['consumerRef', 'image', 'userData', 'metaData', 'networkData']) {
    expect(spec).not.toHaveProperty(field);
  }
  expect(spec['online']).toBe(false);
  expect(metadata['labels']).toEqual({ role: index === CONTROL_PLANE ? 'control-plane' : 'worker' });
  expect(status.errorMessage).toBe('');
  await expect.poll(() => powerOf(lab, index), PATIENCE).toBe('Off');
  const { disk } = await machineOf(lab, index);
  expect(disk).toMatchObject({ image: null, configDrive: null, writes: 1, erasures: 2 });
}

describe('a Cluster that is deleted', () => {
  test('takes its machines and their data along, and leaves hosts and unused objects', async () => {
    await kubectl(lab, ['delete', 'cluster', CLUSTER, '--timeout=600s']);

    const ours: readonly KindName[] = ['machine', 'metal3Cluster', 'metal3Machine', 'metal3DataClaim', 'metal3Data'];
    for (const kind of ours) await expect.poll(() => list(lab, kind), PATIENCE).toEqual([]);
    const namesOf = async (kind: KindName): Promise<readonly string[]> =>
      (await list(lab, kind)).map(({ metadata }) => metadata.name).toSorted();
    // Cluster API owns the templates that are in use.
    await expect.poll(() => namesOf('metal3MachineTemplate'), PATIENCE).toEqual([UNUSED]);
    expect(await namesOf('metal3DataTemplate')).toEqual(
      [UNUSED, templateName(CLUSTER, 'control-plane'), templateName(CLUSTER, 'worker')].toSorted(),
    );

    for (const index of [CONTROL_PLANE, ...WORKERS]) {
      await expectFree(index);
      const { metadata } = bmcSecret.parse(
        await lab.kube.request({ path: secretPath({ namespace: NAMESPACE, name: `host-${index}-bmc` }) }),
      );
      expect(metadata.labels).not.toHaveProperty([CLUSTER_LABEL]);
    }
    for (const index of [...STRANGERS, WELCOME]) await hostIn(lab, `host-${index}`, 'provisioned');
    const rendered = record.looks('Secret').filter(({ name }) => /-(metadata|networkdata)$/.test(name));
    const ofMachines = rendered.filter(({ name }) => name.startsWith(CLUSTER));
    expect(ofMachines.length).toBeGreaterThan(0);
    for (const { name } of ofMachines) await record.gone('Secret', name);
    const machines = collectionPath(
      { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', plural: 'kubeadmconfigs' },
      NAMESPACE,
    );
    expect(await lab.kube.request({ path: machines })).toMatchObject({ items: [] });
  });
});

const bmcSecret = z.looseObject({ metadata: z.looseObject({ labels: z.record(z.string(), z.string()).default({}) }) });
