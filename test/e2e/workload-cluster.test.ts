import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entityWorkflowId, view } from '../../workflows/messages.ts';
import {
  CLUSTER_LABEL,
  type ClusterRecord,
  clusterManifests,
  contentOf,
  openWorkload,
  recordClusters,
  templateName,
  type Workload,
} from './support/cluster.ts';
import { keepRuns, withTemporal } from './support/histories.ts';
import { apply, createHost, getHost, hostIn, kubectl, NAMESPACE, secret } from './support/hosts.ts';
import { endpointOf, kubeadmConfigIn, signingRequestsIn } from './support/kubeadm.ts';
import type { TestLab } from './support/lab.ts';
import { conditionOf, create, on, PATIENCE } from './support/machines.ts';
import { machineOf } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';
import { expectOrder, isSo, type Look } from './support/record.ts';

/**
 * Cluster API's own controllers create a cluster on hosts of the lab, and each step is checked in the record of all
 * objects. Hosts of one cluster, by number of the lab machine:
 */
const CLUSTER = 'test1';
const ZONES = ['zone-0', 'zone-1', 'zone-2'] as const;
const FIRST_WORKER = 3;
/** Exists from the beginning, and is paused. */
const PAUSED_WORKER = 4;
/** Created when a machine waits for it. */
const LATE_WORKER = 5;

const CONTROL_PLANE = 'cluster.x-k8s.io/control-plane';
const ROLE = 'node-role.kubernetes.io/control-plane';
const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io';

let lab: TestLab;
let record: ClusterRecord;
/** Connected as soon as it answers, before any machine joins it. */
let opening: Promise<Workload>;

async function createLabelled(index: number, labels: Record<string, string>): Promise<string> {
  const name = await createHost(lab, index);
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  await kubectl(lab, ['label', 'bmh', name, ...pairs]);
  return name;
}

beforeAll(async () => {
  lab = await joinLab({ machines: 6 });
  record = recordClusters(lab);
  const free = await Promise.all([
    ...ZONES.map((zone, index) =>
      createLabelled(index, { role: 'control-plane', [`${INFRASTRUCTURE}/failure-domain`]: zone }),
    ),
    createLabelled(FIRST_WORKER, { role: 'worker' }),
  ]);
  const paused = await createLabelled(PAUSED_WORKER, { role: 'worker' });
  await kubectl(lab, ['annotate', 'bmh', paused, 'baremetalhost.metal3.io/paused=']);
  await Promise.all(free.map((host) => hostIn(lab, host, 'available')));
  await apply(lab, ...(await clusterManifests(lab, CLUSTER, { workers: 2, failureDomains: ZONES })));
  opening = openWorkload(record, CLUSTER);
  // Each user of the promise gets its error.
  opening.catch(() => undefined);
});
afterAll(async () => {
  record?.close();
  await opening?.then(
    (workload) => workload.close(),
    () => undefined,
  );
  await lab?.stop();
});

const condition = (type: string, status: 'True' | 'False'): object => ({ status: { conditions: [{ type, status }] } });
const inCluster = { metadata: { labels: { [CLUSTER_LABEL]: CLUSTER } } };

/** The first control plane, and the worker that got a host at once, by the common name of Machine and Metal3Machine. */
const firstControlPlane = async (): Promise<string> =>
  (await record.first('Machine', ({ metadata }) => CONTROL_PLANE in metadata.labels)).name;
const isWorker = {
  metadata: { annotations: { 'cluster.x-k8s.io/cloned-from-name': templateName(CLUSTER, 'worker') } },
};
const firstWorker = async (): Promise<string> =>
  (await record.first('Metal3Machine', (machine) => isSo(machine, isWorker) && HOST in machine.metadata.annotations))
    .name;
const HOST = 'metal3.io/BareMetalHost';
const hostOf = (name: string): Promise<Look> =>
  record.first('BareMetalHost', { spec: { consumerRef: { kind: 'Metal3Machine', name } } });

describe('a cluster on bare metal', () => {
  test('1: its Metal3Cluster does nothing before Cluster API has set the Cluster as its owner', async () => {
    const owned = await record.first('Metal3Cluster', {
      metadata: { ownerReferences: [{ kind: 'Cluster', name: CLUSTER }], ...inCluster.metadata },
    });
    const alone = record.looks('Metal3Cluster').filter(({ revision }) => revision < owned.revision);
    expect(alone.length).toBeGreaterThan(0);
    for (const { object } of alone) expect(object.status).not.toHaveProperty('initialization');
  });

  test('2: its endpoint is verified, and the Metal3Cluster is ready', async () => {
    const lame = { spec: { controlPlaneEndpoint: { port: 6443 } }, metadata: { name: 'lame', namespace: NAMESPACE } };
    await expect(
      apply(lab, { apiVersion: `${INFRASTRUCTURE}/v1beta2`, kind: 'Metal3Cluster', ...lame }),
    ).rejects.toThrow('spec.controlPlaneEndpoint: Invalid value: "": is required');
    const { object } = await record.first('Metal3Cluster', condition('Ready', 'True'));
    expect(object).toMatchObject({
      spec: { controlPlaneEndpoint: { host: '127.0.0.1' }, cloudProviderEnabled: false },
      status: { initialization: { provisioned: true }, failureDomains: ZONES.map((name) => ({ name })) },
    });
  });

  test('3: Cluster API takes its endpoint and its failure domains over: the infrastructure is ready', async () => {
    const provisioned = await record.first('Metal3Cluster', { status: { initialization: { provisioned: true } } });
    const ready = await record.first('Cluster', { status: { initialization: { infrastructureProvisioned: true } } });
    const reachable = await record.first('Cluster', (cluster) => 'controlPlaneEndpoint' in cluster.spec);
    expectOrder(provisioned, ready);
    expectOrder(provisioned, reachable);
    expect(reachable.object.spec['controlPlaneEndpoint']).toEqual(provisioned.object.spec['controlPlaneEndpoint']);
    await record.first('Cluster', { status: { failureDomains: ZONES.map((name) => ({ name, controlPlane: true })) } });
  });

  test('4: the control plane provider makes the first machine, and owns its template', async () => {
    const ready = await record.first('Cluster', { status: { initialization: { infrastructureProvisioned: true } } });
    const machine = await record.first('Machine', ({ metadata }) => CONTROL_PLANE in metadata.labels);
    expectOrder(ready, machine);
    expect(machine.object.metadata.ownerReferences).toMatchObject([{ kind: 'KubeadmControlPlane', name: CLUSTER }]);
    const owned = await record.first(
      'Metal3Machine',
      { metadata: { ownerReferences: [{ kind: 'Machine', name: machine.name }], ...inCluster.metadata } },
      machine.name,
    );
    expect(owned.object.metadata.annotations).toMatchObject({
      'cluster.x-k8s.io/cloned-from-name': templateName(CLUSTER, 'control-plane'),
    });
    for (const role of ['control-plane', 'worker'] as const) {
      const owner = { metadata: { ownerReferences: [{ kind: 'Cluster', name: CLUSTER }] } };
      await record.first('Metal3MachineTemplate', owner, templateName(CLUSTER, role));
    }
  });

  test('5: no host is looked for before the bootstrap provider has written its Secret', async () => {
    const name = await firstControlPlane();
    const secret = await record.first('Secret', { type: 'cluster.x-k8s.io/secret' }, name);
    expect(secret.object.metadata.ownerReferences).toMatchObject([{ kind: 'KubeadmConfig', name }]);
    expect(contentOf(secret.object)).toMatchObject({
      format: 'cloud-config',
      value: expect.stringContaining('kubeadm init') as string,
    });
    const isReady = { deprecated: { v1beta1: { conditions: [{ type: 'BootstrapReady', status: 'True' }] } } };
    expectOrder(secret, await record.first('Machine', { status: isReady }, name), await hostOf(name));
    await record.first('Machine', { spec: { bootstrap: { dataSecretName: name } } }, name);
  });

  test('6: it runs on a host with the labels that it asks for, in its failure domain', async () => {
    const name = await firstControlPlane();
    const machine = await record.first('Machine', ({ spec }) => spec.failureDomain !== undefined, name);
    const host = await hostOf(name);
    expect(host.object.metadata.labels).toMatchObject({
      role: 'control-plane',
      [`${INFRASTRUCTURE}/failure-domain`]: machine.object.spec.failureDomain,
      ...inCluster.metadata.labels,
    });
    const taken = await record.first('Metal3Machine', ({ metadata }) => HOST in metadata.annotations, name);
    expect(taken.object.metadata.annotations[HOST]).toBe(`${NAMESPACE}/${host.name}`);
    expect((await hostOf(await firstWorker())).name).toBe(`host-${FIRST_WORKER}`);
  });

  test('7: a machine without a host waits and says why, to kubectl and in its run, until there is one', async () => {
    const first = await firstWorker();
    const isLate = (name: string): boolean => name !== first;
    const all = record.looks('Metal3Machine').filter(({ object }) => isSo(object, isWorker));
    const late = all.find(({ name }) => isLate(name))?.name ?? '';
    const why = "5 hosts: 3 don't match hostSelector, 1 paused, 1 taken";
    const words = `failed to associate the Metal3Machine to a BareMetalHost: no available host found. ${why}`;
    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', late, 'AssociateBareMetalHost'), PATIENCE)
      .toBe(`False AssociateBareMetalHostFailed: ${words}`);
    const ready = await conditionOf(lab, 'metal3Machine', late, 'Ready');
    expect(ready).toContain(`False NotReady: * AssociateBareMetalHost: ${words}`);
    await expect.poll(() => conditionOf(lab, 'machine', late, 'InfrastructureReady'), PATIENCE).toBe(ready);
    await withTemporal(lab, async (client) => {
      const run = client.workflow.getHandle(entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name: late }));
      expect(await run.query(view)).toMatchObject({ waitingFor: `waiting for a host: ${why}` });
      expect(await run.query('__temporal_workflow_metadata')).toMatchObject({
        currentDetails: expect.stringContaining(
          `**${NAMESPACE}/${late}** has no host yet: waiting for a host: ${why}`,
        ) as unknown,
      });
    });
    await createLabelled(LATE_WORKER, { role: 'worker' });
    expect((await hostOf(late)).name).toBe(`host-${LATE_WORKER}`);
    expect(await getHost(lab, `host-${PAUSED_WORKER}`)).not.toHaveProperty('spec.consumerRef');
  });

  test('8: its data template gives it an index and the Secrets that follow from it', async () => {
    const name = await firstControlPlane();
    const template = templateName(CLUSTER, 'control-plane');
    const claim = await record.first('Metal3DataClaim', { spec: { template: { name: template } } }, name);
    const ready = await record.first('Metal3Data', { status: { ready: true } }, `${template}-0`);
    const shown = { status: { renderedData: { name: `${template}-0`, namespace: NAMESPACE } } };
    expectOrder(claim, await record.first('Metal3Machine', shown, name));
    const secrets = await Promise.all(
      ['metadata', 'networkdata'].map((suffix) => record.first('Secret', {}, `${name}-${suffix}`)),
    );
    for (const secret of secrets) {
      expectOrder(claim, secret, ready);
      expect(secret.object.metadata.ownerReferences).toMatchObject([{ kind: 'Metal3Data', name: `${template}-0` }]);
    }
    const [metaData = '', networkData = ''] = secrets.map(({ object }) => Object.values(contentOf(object))[0]);
    expect(metaData).toContain(`name: ${name}\n`);
    expect(metaData).toContain(`providerid: ${NAMESPACE}/${(await hostOf(name)).name}/${name}\n`);
    expect(metaData).toContain('rack: rack-10\n');
    const index = Number((await hostOf(name)).name.split('-')[1]);
    expect(networkData).toContain(lab.machines[index]?.inventory.nics[0]?.mac);
  });

  test('9: its host gets its image in one write, once all inputs exist', async () => {
    const name = await firstControlPlane();
    const ready = await record.first('Metal3Data', { status: { ready: true } });
    const filled = await record.first(
      'BareMetalHost',
      ({ spec }) => spec.consumerRef?.name === name && 'image' in spec,
    );
    expectOrder(ready, filled);
    const url = `${lab.endpoints.images}/node-1MiB.raw`;
    expect(filled.object.spec).toMatchObject({
      image: { url, checksum: `${url}.sha256`, checksumType: 'sha256', format: 'raw' },
      userData: { name, namespace: NAMESPACE },
      metaData: { name: `${name}-metadata`, namespace: NAMESPACE },
      networkData: { name: `${name}-networkdata`, namespace: NAMESPACE },
      automatedCleaningMode: 'metadata',
      online: true,
    });
  });

  test('10: its machine is deployed once, with just these data', async () => {
    const name = await firstControlPlane();
    const host = await hostOf(name);
    const index = Number(host.name.split('-')[1]);
    const states = ['provisioning', 'provisioned'].map((state) =>
      record.first('BareMetalHost', { status: { provisioning: { state } } }, host.name),
    );
    expectOrder(...(await Promise.all(states)));
    const { disk } = await machineOf(lab, index);
    const secret = await record.first('Secret', {}, name);
    expect(disk).toMatchObject({
      writes: 1,
      image: { url: `${lab.endpoints.images}/node-1MiB.raw` },
      configDrive: {
        userData: contentOf(secret.object)['value'],
        metaData: { name, uuid: host.object.metadata.uid, rack: 'rack-10' },
        networkData: { networks: [{ id: 'lan', type: 'ipv4_dhcp' }] },
      },
    });
  });

  test('11: its Node is found by the uid of its host, and both get the providerID', async () => {
    const name = await firstWorker();
    const workload = await opening;
    const host = await hostOf(name);
    const providerID = `metal3://${NAMESPACE}/${host.name}/${name}`;
    const uid = host.object.metadata.uid;
    const node = await workload.record.first('Node', { metadata: { labels: { 'metal3.io/uuid': uid } } });
    const told = await workload.record.first('Node', { spec: { providerID } }, node.name);
    const known = await record.first('Metal3Machine', { spec: { providerID } }, name);
    const provisioned = { status: { initialization: { provisioned: true } } };
    expect(node.object.spec).not.toHaveProperty('providerID');
    expectOrder(node, told);
    expectOrder(node, known);
    expectOrder(known, await record.first('Metal3Machine', provisioned, name));
    expect(node.name).toBe(name);
  });

  test('12: Cluster API compares the two and links the Machine with its Node', async () => {
    for (const name of [await firstControlPlane(), await firstWorker()]) {
      const known = await record.first('Metal3Machine', ({ spec }) => spec.providerID !== undefined, name);
      const copied = await record.first('Machine', { spec: { providerID: known.object.spec.providerID } }, name);
      const linked = await record.first('Machine', { status: { nodeRef: { name } } }, name);
      const running = await record.first('Machine', { status: { phase: 'Running' } }, name);
      expectOrder(known, copied, linked, running);
      expect(await conditionOf(lab, 'metal3Machine', name, 'Ready')).toBe('True Ready');
      await expect.poll(() => conditionOf(lab, 'machine', name, 'InfrastructureReady'), PATIENCE).toBe('True Ready');
    }
  });

  test('13: the first machine is its control plane, and further ones are added one by one', async () => {
    await kubectl(lab, ['scale', 'kubeadmcontrolplane', CLUSTER, '--replicas=3']);
    await record.first('KubeadmControlPlane', { spec: { replicas: 3 }, status: { readyReplicas: 3 } });
    const names = [...new Set(record.looks('Machine').map(({ name }) => name))];
    const members = names.filter(
      (name) => CONTROL_PLANE in (record.looks('Machine', name)[0]?.object.metadata.labels ?? {}),
    );
    expect(members).toHaveLength(3);
    const steps = members.flatMap((name) => [
      record.first('Machine', {}, name),
      record.first('Machine', { status: { nodeRef: { name } } }, name),
    ]);
    expectOrder(...(await Promise.all(steps)));
    const hosts = await Promise.all(members.map(async (name) => (await hostOf(name)).object.metadata.labels));
    expect(new Set(hosts.map((labels) => labels[`${INFRASTRUCTURE}/failure-domain`]))).toEqual(new Set(ZONES));
    const workload = await opening;
    for (const name of members) {
      for (const part of ['apiserver', 'controller-manager', 'scheduler']) {
        await workload.record.first('Pod', { status: { phase: 'Running' } }, `kube-${part}-${name}`);
      }
      const { object } = await workload.record.first('Node', ({ metadata }) => ROLE in metadata.labels, name);
      expect(object.spec['taints']).toMatchObject([{ key: ROLE, effect: 'NoSchedule' }]);
    }
    const { host, port } = endpointOf((await record.first('Metal3Cluster', {})).object);
    expect(await kubeadmConfigIn(workload.kube)).toMatchObject({
      kind: 'ClusterConfiguration',
      clusterName: CLUSTER,
      controlPlaneEndpoint: `${host}:${port}`,
    });
  });

  test('14: workers join once there is a control plane, by certificates that it signed', async () => {
    const initialized = await record.first('KubeadmControlPlane', {
      status: { initialization: { controlPlaneInitialized: true } },
    });
    const workers = record.looks('Metal3Machine').filter(({ object }) => isSo(object, isWorker));
    const requests = await signingRequestsIn((await opening).kube);
    const authority = contentOf((await record.first('Secret', {}, `${CLUSTER}-ca`)).object)['tls.crt'] ?? '';
    for (const name of new Set(workers.map((look) => look.name))) {
      const secret = await record.first('Secret', {}, name);
      const userData = contentOf(secret.object)['value'] ?? '';
      expect(userData).toContain('kubeadm join');
      expectOrder(initialized, secret, await record.first('Machine', { status: { nodeRef: { name } } }, name));
      const [, token] = /token: (\w{6})\.\w{16}/.exec(userData) ?? [];
      // More than one when an attempt to join failed after its request.
      const own = requests.filter(({ spec }) => spec.username === `system:bootstrap:${token}`);
      const answered = own.filter(({ status }) => status.certificate !== undefined);
      expect(answered).not.toEqual([]);
      for (const request of own) {
        expect(request.spec['signerName']).toBe('kubernetes.io/kube-apiserver-client-kubelet');
      }
      for (const { status } of answered) {
        expect(status['conditions']).toMatchObject([{ type: 'Approved', status: 'True' }]);
        const signed = new X509Certificate(Buffer.from(status.certificate ?? '', 'base64'));
        expect(signed.subject).toContain(`CN=system:node:${name}`);
        expect(signed.verify(new X509Certificate(authority).publicKey)).toBe(true);
      }
    }
    expect(await writes()).toEqual([1, 1, 1, 1, 0, 1]);
  });

  test('15: it is available', async () => {
    await record.first('Cluster', condition('Available', 'True'));
    expect(await kubectl(lab, ['get', 'cluster', CLUSTER, '-o', 'jsonpath={.status.phase}'])).toBe('Provisioned');
  });
});

/** How often each machine was deployed, as the machines report. */
const writes = (): Promise<readonly number[]> =>
  Promise.all(lab.machines.map(async (_, index) => (await machineOf(lab, index)).disk.writes));

describe('a Machine without a data template', () => {
  test('says what its host waits for, in the words of the host', async () => {
    const [name, host] = ['alone', `host-${PAUSED_WORKER}`];
    await kubectl(lab, ['label', 'bmh', host, `for=${name}`]);
    await kubectl(lab, ['annotate', 'bmh', host, 'temper/approval=erase', 'baremetalhost.metal3.io/paused-']);
    await hostIn(lab, host, 'available');
    await create(lab, 'metal3Machine', name, { spec: { ...on(name), image: lab.endpoints.testImage } });
    await apply(lab, secret(`${name}-boot`, { value: '#cloud-config', format: 'cloud-config' }));
    await create(lab, 'machine', name, {
      spec: {
        clusterName: CLUSTER,
        bootstrap: { dataSecretName: `${name}-boot` },
        infrastructureRef: { apiGroup: INFRASTRUCTURE, kind: 'Metal3Machine', name },
      },
    });
    await expect
      .poll(() => conditionOf(lab, 'host', host, 'Ready'), PATIENCE)
      .toMatch(/^False NotProvisioned: waiting for approval provision-[0-9a-f]+ to clean its disks and write image /);
    const words = (await conditionOf(lab, 'host', host, 'Ready')).replace('False ', '');
    await expect
      .poll(() => conditionOf(lab, 'machine', name, 'InfrastructureReady'), PATIENCE)
      .toBe(`Unknown ReadyUnknown: * BareMetalHost ${host}: ${words}\n* Metal3DataReady: Condition not yet reported`);
  });
});

describe('the runs of a cluster', () => {
  test.each(['Metal3Cluster', 'Metal3Machine', 'Metal3DataTemplate', 'Metal3Data'] as const)(
    'have summaries of all that is done: %s',
    async (kind) => {
      const name =
        kind === 'Metal3DataTemplate' ? templateName(CLUSTER, 'worker') : (await record.first(kind, {})).name;
      const id = entityWorkflowId(kind, { namespace: NAMESPACE, name });
      await expect(keepRuns(lab, 'cluster', id)).resolves.toBeUndefined();
    },
  );
});
