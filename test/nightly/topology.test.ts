import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { externalEtcd, externalEtcdSecrets } from '../../lab/cluster-api/external-etcd.ts';
import {
  type ClusterRecord,
  openWorkload,
  recordClusters,
  runningWorkers,
  VERSION,
  type Workload,
} from '../e2e/support/cluster.ts';
import { aClusterctl, exampleVariables, VERSIONS } from '../e2e/support/clusterctl.ts';
import { apply, createHost, hostIn, kubectl, NAMESPACE } from '../e2e/support/hosts.ts';
import { aLab, type TestLab } from '../e2e/support/lab.ts';
import { type KindName, list, PATIENCE } from '../e2e/support/machines.ts';
import { machineOf } from '../e2e/support/metal.ts';

/** A cluster of the packaged ClusterClass, as the real clusterctl makes it, on hosts of the lab. */
const CLUSTER = 'classy';
const HOSTS = [0, 1, 2] as const;
const DRAIN_SECONDS = 30;
const CONTROL_PLANE = 'cluster.x-k8s.io/control-plane';
const CERTIFICATES = 'machine.cluster.x-k8s.io/certificates-expiry';

let folder: string;
let lab: TestLab;
let record: ClusterRecord;
let workload: Workload;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-topology-'));
  lab = await aLab({ machines: HOSTS.length, clusterApi: true });
  record = recordClusters(lab);
  const hosts = await Promise.all(HOSTS.map((index) => createHost(lab, index)));
  await Promise.all(hosts.map((host) => hostIn(lab, host, 'available')));
  await apply(lab, ...externalEtcdSecrets(lab.dir, { namespace: NAMESPACE, name: CLUSTER }), ...(await generated()));
  workload = await openWorkload(record, CLUSTER);
});
afterAll(async () => {
  record?.close();
  await workload?.close();
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** What clusterctl answers for one control plane and one worker: the cluster, and the class that was not there yet. */
async function generated(): Promise<readonly object[]> {
  const clusterctl = await aClusterctl(folder);
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
  const provider = ['--infrastructure', `metal3:${VERSIONS.installed}`, '--flavor', 'topology'];
  const counts = ['--control-plane-machine-count', '1', '--worker-machine-count', '1'];
  const where = ['--target-namespace', NAMESPACE, '--kubernetes-version', VERSION];
  const text = await clusterctl(
    lab.endpoints.kubeconfig,
    ['generate', 'cluster', CLUSTER, ...provider, ...where, ...counts],
    variables,
  );
  return parseAllDocuments(text).map((document) => {
    if (document.get('kind') === 'Cluster') {
      document.setIn(['spec', 'topology', 'controlPlane', 'metadata'], {
        annotations: { [CERTIFICATES]: '2099-01-01T00:00:00Z' },
      });
    }
    return document.toJS() as object;
  });
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

const controlPlane = async (): Promise<string> =>
  (await record.first('Machine', ({ metadata }) => CONTROL_PLANE in metadata.labels)).name;

describe('a cluster of our ClusterClass', () => {
  test('comes up with a control plane and a worker, each on a host of its own', async () => {
    const hosts = await Promise.all(
      [await controlPlane(), ...(await runningWorkers(lab, CLUSTER, 1))].map(expectOnHost),
    );
    expect(new Set(hosts).size).toBe(2);
  });

  test('is configured by the variables of the cluster template', async () => {
    const get = async (kind: string): Promise<unknown> =>
      JSON.parse(await kubectl(lab, ['get', kind, '-l', 'topology.cluster.x-k8s.io/owned', '-o', 'json']));
    const deletion = { nodeDrainTimeoutSeconds: DRAIN_SECONDS };
    const clusterConfiguration = { etcd: externalEtcd(lab.endpoints.etcd) };
    expect(await get('kubeadmcontrolplane')).toMatchObject({
      items: [{ spec: { kubeadmConfigSpec: { clusterConfiguration }, machineTemplate: { spec: { deletion } } } }],
    });
    expect(await get('machinedeployment')).toMatchObject({ items: [{ spec: { template: { spec: { deletion } } } }] });
    // As the example of variables says.
    const preKubeadmCommands = ['systemctl enable --now containerd kubelet'];
    expect(await get('kubeadmconfigtemplate')).toMatchObject({
      items: [{ spec: { template: { spec: { preKubeadmCommands } } } }],
    });
  });

  test('gets a second worker when its topology asks for two', async () => {
    const path = '/spec/topology/workers/machineDeployments/0/replicas';
    const patch = JSON.stringify([{ op: 'replace', path, value: 2 }]);
    await kubectl(lab, ['patch', 'cluster', CLUSTER, '--type=json', '-p', patch]);
    const machines = [await controlPlane(), ...(await runningWorkers(lab, CLUSTER, 2))];
    expect(new Set(await Promise.all(machines.map(expectOnHost))).size).toBe(HOSTS.length);
  });

  test('gives all of its hosts back when it is deleted, and leaves its class', async () => {
    await kubectl(lab, ['delete', 'cluster', CLUSTER, '--timeout=240s']);
    for (const index of HOSTS) {
      const { spec } = await hostIn(lab, `host-${index}`, 'available');
      expect(spec).not.toHaveProperty('consumerRef');
      expect((await machineOf(lab, index)).disk).toMatchObject({ image: null, writes: 1 });
    }
    const kinds: readonly KindName[] = ['machine', 'metal3Cluster', 'metal3Machine', 'metal3DataClaim', 'metal3Data'];
    for (const kind of kinds) await expect.poll(() => list(lab, kind), PATIENCE).toEqual([]);
    const templates = async (): Promise<readonly string[]> =>
      (await list(lab, 'metal3MachineTemplate')).map(({ metadata }) => metadata.name).toSorted();
    await expect.poll(templates, PATIENCE).toEqual(['metal3-controlplane', 'metal3-worker']);
    expect(await kubectl(lab, ['get', 'clusterclass', '-o', 'name'])).toBe('clusterclass.cluster.x-k8s.io/metal3');
  });
});
