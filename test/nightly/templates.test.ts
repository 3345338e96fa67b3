import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { externalEtcd, externalEtcdSecrets } from '../../lab/cluster-api/external-etcd.ts';
import {
  CLUSTER_LABEL,
  type ClusterRecord,
  openWorkload,
  recordClusters,
  runningWorkers,
  VERSION,
  type Workload,
} from '../e2e/support/cluster.ts';
import { aClusterctl, type Clusterctl, exampleVariables, VERSIONS } from '../e2e/support/clusterctl.ts';
import { apply, createHost, hostIn, kubectl, NAMESPACE } from '../e2e/support/hosts.ts';
import { aLab, type TestLab } from '../e2e/support/lab.ts';
import { type KindName, list, PATIENCE } from '../e2e/support/machines.ts';
import { machineOf } from '../e2e/support/metal.ts';

/** Clusters of the packaged templates, as the real clusterctl makes them, on hosts of the lab, one after the other. */
const CLASSY = 'classy';
const PLAIN = 'plain';
const HOSTS = [0, 1, 2] as const;
const DRAIN_SECONDS = 30;
const CONTROL_PLANE = 'cluster.x-k8s.io/control-plane';
/** Else Cluster API would ask the API server's certificate for it through a Pod on the node; the lab's nodes run none. */
const LASTING = { 'machine.cluster.x-k8s.io/certificates-expiry': '2099-01-01T00:00:00Z' };
/** Where the metadata of control plane machines is, by the kind that has it. */
const CONTROL_PLANE_METADATA: Readonly<Record<string, readonly string[]>> = {
  Cluster: ['spec', 'topology', 'controlPlane', 'metadata'],
  KubeadmControlPlane: ['spec', 'machineTemplate', 'metadata'],
};

let folder: string;
let lab: TestLab;
let clusterctl: Clusterctl;
let record: ClusterRecord;
/** Of the cluster that is told of. */
let workload: Workload;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-topology-'));
  [lab, clusterctl] = await Promise.all([aLab({ machines: HOSTS.length, clusterApi: true }), aClusterctl(folder)]);
  record = recordClusters(lab);
  const hosts = await Promise.all(HOSTS.map((index) => createHost(lab, index)));
  await Promise.all(hosts.map((host) => hostIn(lab, host, 'available')));
});
afterAll(async () => {
  record?.close();
  await workload?.close();
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Applies what clusterctl answers for one control plane and one worker. */
async function begin(cluster: string, ...flavor: readonly string[]): Promise<void> {
  const image = `${lab.endpoints.images}/node-${VERSION}-1MiB.raw`;
  const clusterConfiguration = { etcd: externalEtcd(lab.endpoints.etcd) };
  const variables = {
    ...(await exampleVariables(folder)),
    CLUSTER_APIENDPOINT_HOST: '127.0.0.1',
    CLUSTER_APIENDPOINT_PORT: String(await getPort({ host: '127.0.0.1' })),
    IMAGE_URL: image,
    IMAGE_CHECKSUM: `${image}.sha256`,
    IMAGE_CHECKSUM_TYPE: 'sha256',
    IMAGE_FORMAT: 'raw',
    NODE_DRAIN_TIMEOUT: String(DRAIN_SECONDS),
    CTLPLANE_KUBEADM_EXTRA_CONFIG: stringify({ clusterConfiguration }).replaceAll(/^(?=.)/gm, ' '.repeat(4)),
  };
  const provider = ['--infrastructure', `metal3:${VERSIONS.installed}`, ...flavor];
  const counts = ['--control-plane-machine-count', '1', '--worker-machine-count', '1'];
  const where = ['--target-namespace', NAMESPACE, '--kubernetes-version', VERSION];
  const args = ['generate', 'cluster', cluster, ...provider, ...where, ...counts];
  const manifests = parseAllDocuments(await clusterctl(lab.endpoints.kubeconfig, args, variables)).map((document) => {
    const path = CONTROL_PLANE_METADATA[String(document.get('kind'))];
    if (path !== undefined && document.hasIn(path.slice(0, -1))) document.setIn(path, { annotations: LASTING });
    return document.toJS() as object;
  });
  await apply(lab, ...externalEtcdSecrets(lab.dir, { namespace: NAMESPACE, name: cluster }), ...manifests);
  workload = await openWorkload(record, cluster);
}

/** The machine runs as the Node that its host's metadata names; answers its host. */
async function expectOnHost(machine: string): Promise<string> {
  const consumerRef = { kind: 'Metal3Machine', name: machine };
  const { name: host } = await record.first('BareMetalHost', { spec: { consumerRef } });
  const providerID = `metal3://${NAMESPACE}/${host}/${machine}`;
  await record.first('Metal3Machine', { spec: { providerID } }, machine);
  await workload.record.first('Node', { spec: { providerID } }, host);
  await record.first(
    'Machine',
    { spec: { providerID }, status: { phase: 'Running', nodeRef: { name: host } } },
    machine,
  );
  await hostIn(lab, host, 'provisioned');
  return host;
}

const owned = z.looseObject({
  metadata: z.looseObject({
    ownerReferences: z.array(z.looseObject({ kind: z.string(), name: z.string() })).default([]),
  }),
});

/** What the cluster's own objects say is what the variables ask for. */
async function expectVariables(cluster: string): Promise<void> {
  const get = async (kind: string): Promise<readonly object[]> => {
    const { items } = z
      .object({ items: z.array(owned) })
      .parse(JSON.parse(await kubectl(lab, ['get', kind, '-o', 'json'])));
    const isOwner = (owner: { readonly kind: string; readonly name: string }) =>
      owner.kind === 'Cluster' && owner.name === cluster;
    return items.filter(({ metadata }) => metadata.ownerReferences.some(isOwner));
  };
  const deletion = { nodeDrainTimeoutSeconds: DRAIN_SECONDS };
  const clusterConfiguration = { etcd: externalEtcd(lab.endpoints.etcd) };
  expect(await get('kubeadmcontrolplane')).toMatchObject([
    { spec: { kubeadmConfigSpec: { clusterConfiguration }, machineTemplate: { spec: { deletion } } } },
  ]);
  expect(await get('machinedeployment')).toMatchObject([{ spec: { template: { spec: { deletion } } } }]);
  // As the example of variables says.
  const preKubeadmCommands = ['systemctl enable --now containerd kubelet'];
  expect(await get('kubeadmconfigtemplate')).toMatchObject([{ spec: { template: { spec: { preKubeadmCommands } } } }]);
}

const controlPlane = async (cluster: string): Promise<string> => {
  const { name } = await record.first(
    'Machine',
    ({ metadata: { labels } }) => CONTROL_PLANE in labels && labels[CLUSTER_LABEL] === cluster,
  );
  return name;
};

/** A control plane and so many workers run, each on a host of its own. */
async function expectRunning(cluster: string, workers: number): Promise<void> {
  const machines = [await controlPlane(cluster), ...(await runningWorkers(lab, cluster, workers))];
  expect(new Set(await Promise.all(machines.map(expectOnHost))).size).toBe(1 + workers);
}

/** Deletes a cluster, which leaves all hosts as they came, written to so many times by now. */
async function expectGivenBack(cluster: string, writes: readonly number[]): Promise<void> {
  await kubectl(lab, ['delete', 'cluster', cluster, '--timeout=600s']);
  for (const index of HOSTS) {
    const { spec } = await hostIn(lab, `host-${index}`, 'available');
    expect(spec).not.toHaveProperty('consumerRef');
  }
  const disks = await Promise.all(HOSTS.map(async (index) => (await machineOf(lab, index)).disk));
  expect(disks.map(({ image }) => image)).toEqual([null, null, null]);
  expect(disks.map((disk) => disk.writes).toSorted((one, other) => one - other)).toEqual(writes);
  const kinds: readonly KindName[] = ['machine', 'metal3Cluster', 'metal3Machine', 'metal3DataClaim', 'metal3Data'];
  for (const kind of kinds) await expect.poll(() => list(lab, kind), PATIENCE).toEqual([]);
  await workload.close();
}

describe('a cluster of our ClusterClass', () => {
  beforeAll(() => begin(CLASSY, '--flavor', 'topology'));

  test('comes up with a control plane and a worker, each on a host of its own', async () => {
    await expect(expectRunning(CLASSY, 1)).resolves.toBeUndefined();
  });

  test('is configured by the variables of the cluster template', async () => {
    await expect(expectVariables(CLASSY)).resolves.toBeUndefined();
  });

  test('gets a second worker when its topology asks for two', async () => {
    const path = '/spec/topology/workers/machineDeployments/0/replicas';
    const patch = JSON.stringify([{ op: 'replace', path, value: 2 }]);
    await kubectl(lab, ['patch', 'cluster', CLASSY, '--type=json', '-p', patch]);
    await expect(expectRunning(CLASSY, 2)).resolves.toBeUndefined();
  });

  test('gives all of its hosts back when it is deleted, and leaves its class', async () => {
    await expectGivenBack(CLASSY, [1, 1, 1]);
    const templates = async (): Promise<readonly string[]> =>
      (await list(lab, 'metal3MachineTemplate')).map(({ metadata }) => metadata.name).toSorted();
    await expect.poll(templates, PATIENCE).toEqual(['metal3-controlplane', 'metal3-worker']);
    expect(await kubectl(lab, ['get', 'clusterclass', '-o', 'name'])).toBe('clusterclass.cluster.x-k8s.io/metal3');
  });
});

describe('a cluster of the template that is the default', () => {
  beforeAll(() => begin(PLAIN));

  test('comes up with a control plane and a worker, each on a host of its own', async () => {
    await expect(expectRunning(PLAIN, 1)).resolves.toBeUndefined();
  });

  test('is configured by the variables', async () => {
    await expect(expectVariables(PLAIN)).resolves.toBeUndefined();
  });

  test('gives its hosts back when it is deleted', async () => {
    await expect(expectGivenBack(PLAIN, [1, 2, 2])).resolves.toBeUndefined();
  });
});
