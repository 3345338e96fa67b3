import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectKube } from '../../kube/client.ts';
import { nodePath } from '../../kube/paths.ts';
import { apply, kubectl } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { machineOf } from './support/metal.ts';
import {
  ADDRESSES,
  aSeedLab,
  CLUSTER,
  CONTROLLER,
  conditionsOf,
  documentsIn,
  find,
  GOES,
  HOST,
  INFRASTRUCTURE,
  isOfHost,
  MACHINE,
  NAMESPACE,
  ofInfrastructure,
  ownedBy,
  read,
  readUserData,
  type Seen,
  STAYS,
  type Story,
  type StoryKind,
  secretOf,
  unusedTemplates,
} from './support/seed-test1.ts';

/**
 * The cluster of the project's first documents, with Cluster API's own controllers. The objects "after reconciliation"
 * in the documents are checked field by field; docs/seeds.md lists what has another name or is different today, and
 * why.
 */
const BOOTSTRAP = 'bootstrap.cluster.x-k8s.io';
const VERSION = 'v1.34.4';

const NODE_LABELS = { 'node-labels': 'metal3.io/uuid={{ ds.meta_data.uuid }}' };
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
const DONE = { start: TIME, end: TIME };

let story: Story;
let lab: TestLab;
let cluster: Seen;
let machine: Seen;
let host: Seen;

beforeAll(async () => {
  story = await aSeedLab();
  lab = story.lab;
});
afterAll(() => story?.lab.stop());

/** The image of the example, with the addresses of this lab. */
const image = () => {
  const url = `${lab.endpoints.images}/bionic-server-cloudimg-amd64-4MiB.img`;
  return { url, checksum: `${url}.md5sum` };
};

describe('test1 while there is no host for it', () => {
  test('is owned, has its endpoint and bootstrap data, and says what its machine waits for', async () => {
    await apply(lab, ...story.manifests.filter((manifest) => !isOfHost(manifest)));
    await expect
      .poll(async () => (await read(lab, 'Metal3Machine', MACHINE)).status.conditions)
      .toContainEqual(
        expect.objectContaining({
          type: 'AssociateBareMetalHost',
          reason: 'AssociateBareMetalHostFailed',
          message: expect.stringContaining('no available host found. there are no hosts in this namespace') as string,
        }),
      );

    // Cluster API writes its conditions first, and the machine depends on them.
    await expect
      .poll(() => read(lab, 'Machine', MACHINE))
      .toMatchObject({
        spec: { bootstrap: { dataSecretName: MACHINE } },
        status: { phase: 'Provisioning', initialization: { bootstrapDataSecretCreated: true } },
      });
    const owner = await read(lab, 'Cluster', CLUSTER);
    const waiting = await read(lab, 'Machine', MACHINE);
    expect(owner.status).toMatchObject({ phase: 'Provisioned', initialization: { infrastructureProvisioned: true } });
    expect((await read(lab, 'Metal3Cluster', CLUSTER)).metadata.ownerReferences).toEqual([
      ownedBy('Cluster', owner, CLUSTER),
    ]);
    for (const kind of ['KubeadmConfig', 'Metal3Machine'] as const) {
      expect((await read(lab, kind, MACHINE)).metadata.ownerReferences).toEqual([
        ownedBy('Machine', waiting, MACHINE, CONTROLLER),
      ]);
    }
    expect(await secretOf(lab, MACHINE)).toMatchObject({
      type: 'cluster.x-k8s.io/secret',
      owners: ['KubeadmConfig'],
      data: { format: 'cloud-config', value: expect.stringContaining('kubeadm init') as string },
    });
  });
});

describe('test1 after reconciliation', () => {
  test('comes up once there is a host for it', async () => {
    await apply(lab, ...story.manifests.filter(isOfHost));
    await expect.poll(async () => conditionsOf(await read(lab, 'Machine', MACHINE))).toContain('Ready=True');
    await expect
      .poll(async () => conditionsOf(await read(lab, 'Cluster', CLUSTER)))
      .toContain('ControlPlaneInitialized=True');
    cluster = await read(lab, 'Cluster', CLUSTER);
    machine = await read(lab, 'Machine', MACHINE);
    host = await read(lab, 'BareMetalHost', HOST);
  });

  test('has its Cluster provisioned, with its endpoint and an initialized control plane', () => {
    expect(cluster.spec).toEqual({
      clusterNetwork: {
        pods: { cidrBlocks: ['192.168.0.0/18'] },
        serviceDomain: 'cluster.local',
        services: { cidrBlocks: ['10.96.0.0/12'] },
      },
      controlPlaneEndpoint: story.endpoint,
      infrastructureRef: ofInfrastructure('Metal3Cluster', CLUSTER),
    });
    expect(cluster.status).toMatchObject({
      initialization: { infrastructureProvisioned: true },
      phase: 'Provisioned',
    });
    expect(conditionsOf(cluster)).toContain('InfrastructureReady=True');
  });

  test('has its Metal3Cluster owned by the Cluster and provisioned', async () => {
    const found = await read(lab, 'Metal3Cluster', CLUSTER);
    expect(found.metadata.ownerReferences).toEqual([ownedBy('Cluster', cluster, CLUSTER)]);
    expect(found.spec).toEqual({ controlPlaneEndpoint: story.endpoint, cloudProviderEnabled: false });
    expect(found.status).toMatchObject({ initialization: { provisioned: true } });
  });

  test('has its Machine running as node-1, with the uid of its host as providerID', () => {
    expect(machine.metadata.labels).toEqual({
      'cluster.x-k8s.io/cluster-name': CLUSTER,
      'cluster.x-k8s.io/control-plane': 'true',
    });
    expect(machine.metadata.ownerReferences).toEqual([ownedBy('Cluster', cluster, CLUSTER)]);
    expect(machine.spec).toEqual({
      bootstrap: {
        configRef: { apiGroup: BOOTSTRAP, kind: 'KubeadmConfig', name: MACHINE },
        dataSecretName: MACHINE,
      },
      clusterName: CLUSTER,
      deletion: { nodeDeletionTimeoutSeconds: 10 },
      infrastructureRef: ofInfrastructure('Metal3Machine', MACHINE),
      providerID: `metal3://${host.metadata.uid}`,
      version: VERSION,
    });
    expect(machine.status).toMatchObject({
      initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
      nodeRef: { name: HOST },
      phase: 'Running',
    });
    expect(machine.status['addresses']).toEqual(ADDRESSES);
  });

  test('has its Metal3Machine with the same providerID and addresses, and data from its template', async () => {
    const found = await read(lab, 'Metal3Machine', MACHINE);
    expect(found.metadata.ownerReferences).toEqual([ownedBy('Machine', machine, MACHINE, CONTROLLER)]);
    expect(found.metadata.annotations).toMatchObject({ 'metal3.io/BareMetalHost': `${NAMESPACE}/${HOST}` });
    expect(found.spec).toEqual({
      image: image(),
      providerID: `metal3://${host.metadata.uid}`,
      dataTemplate: { name: 'test1-workers-template', namespace: NAMESPACE },
    });
    expect(found.status).toMatchObject({ initialization: { provisioned: true } });
    expect(found.status['addresses']).toEqual(ADDRESSES);
    expect(conditionsOf(found)).toEqual([
      'Ready=True',
      'AssociateBareMetalHost=True',
      'AssociateMetal3MachineMetaData=True',
      'Metal3DataReady=True',
      'Paused=False',
    ]);
  });

  test('has its data under the lowest index, claimed by the machine, and the template has no owner', async () => {
    const template = 'test1-workers-template';
    expect((await read(lab, 'Metal3DataTemplate', template)).metadata.ownerReferences).toEqual([]);
    const claim = await read(lab, 'Metal3DataClaim', MACHINE);
    expect(claim.metadata.ownerReferences).toMatchObject([{ kind: 'Metal3Machine', name: MACHINE }]);
    const data = await read(lab, 'Metal3Data', `${template}-0`);
    expect(data.spec).toMatchObject({ index: 0, metaData: { name: `${MACHINE}-metadata` } });
    expect(await secretOf(lab, `${MACHINE}-metadata`)).toMatchObject({
      owners: ['Metal3Data'],
      data: { metaData: `local-hostname: ${HOST}\nname: ${HOST}\nproviderid: ${NAMESPACE}/${HOST}/${MACHINE}\n` },
    });
  });

  test('has its BareMetalHost provisioned for the Metal3Machine', () => {
    const credentials = { name: 'node-1-bmc-secret', namespace: NAMESPACE };
    expect(host.spec).toEqual({
      architecture: 'x86_64',
      automatedCleaningMode: 'metadata',
      bmc: {
        address: expect.stringMatching(/^redfish-virtualmedia\+http:.*\/Systems\/c96de3b0-/) as string,
        credentialsName: credentials.name,
      },
      bootMACAddress: '00:b2:8c:ee:22:98',
      consumerRef: {
        apiVersion: `${INFRASTRUCTURE}/v1beta2`,
        kind: 'Metal3Machine',
        name: MACHINE,
        namespace: NAMESPACE,
      },
      image: image(),
      online: true,
      userData: { name: MACHINE, namespace: NAMESPACE },
      metaData: { name: `${MACHINE}-metadata`, namespace: NAMESPACE },
    });
    expect(host.status).toMatchObject({
      goodCredentials: { credentials, credentialsVersion: expect.stringMatching(/^\d+$/) as string },
      hardware: { hostname: HOST, nics: [{ ip: '172.22.0.10' }, { ip: '192.168.111.21' }] },
      hardwareProfile: 'unknown',
      operationHistory: { register: DONE, inspect: DONE, provision: DONE },
      operationalStatus: 'OK',
      poweredOn: true,
      provisioning: { ID: expect.stringMatching(UUID) as string, image: image(), state: 'provisioned' },
      triedCredentials: { credentials, credentialsVersion: expect.stringMatching(/^\d+$/) as string },
    });
  });

  test('has its KubeadmConfig as it was given, and the bootstrap data made of it in a Secret', async () => {
    const found = await read(lab, 'KubeadmConfig', MACHINE);
    const given = story.manifests.find(({ kind }) => kind === 'KubeadmConfig')?.spec;
    expect(found.metadata.ownerReferences).toEqual([ownedBy('Machine', machine, MACHINE, CONTROLLER)]);
    const { host: address, port } = story.endpoint;
    const controlPlaneEndpoint = `${address}:${port}`;
    expect(found.spec).toEqual({ ...given, clusterConfiguration: { controlPlaneEndpoint } });
    expect(found.status).toMatchObject({
      dataSecretName: MACHINE,
      initialization: { dataSecretCreated: true },
    });

    const { files, runcmd } = readUserData((await secretOf(lab, MACHINE)).data['value'] ?? '');
    expect(runcmd).toEqual([
      'systemctl enable --now keepalived',
      expect.stringMatching(/^kubeadm init --config \/run\/kubeadm\/kubeadm\.yaml/),
      'chown metal3:metal3 /home/metal3/.kube/config',
    ]);
    expect(files.get('/etc/keepalived/keepalived.conf')).toContain('virtual_ipaddress { 192.168.111.249 }');
    expect(documentsIn(files.get('/run/kubeadm/kubeadm.yaml') ?? '')).toEqual({
      ClusterConfiguration: {
        apiServer: {},
        apiVersion: 'kubeadm.k8s.io/v1beta4',
        clusterName: CLUSTER,
        controlPlaneEndpoint,
        controllerManager: {},
        dns: {},
        etcd: {},
        kind: 'ClusterConfiguration',
        kubernetesVersion: VERSION,
        networking: { dnsDomain: 'cluster.local', podSubnet: '192.168.0.0/18', serviceSubnet: '10.96.0.0/12' },
        proxy: {},
        scheduler: {},
      },
      InitConfiguration: expect.objectContaining({
        nodeRegistration: {
          kubeletExtraArgs: [{ name: 'node-labels', value: 'metal3.io/uuid={{ ds.meta_data.uuid }}' }],
          name: '{{ ds.meta_data.name }}',
          taints: null,
        },
      }) as object,
    });
  });

  test('has a node with the uid of its host as label and providerID', async () => {
    const { data } = await secretOf(lab, `${CLUSTER}-kubeconfig`);
    const file = join(lab.dir, `${CLUSTER}.kubeconfig`);
    await writeFile(file, data['value'] ?? '', { mode: 0o600 });
    const workload = connectKube(file);
    try {
      expect(await workload.request({ path: nodePath(HOST) })).toMatchObject({
        metadata: { labels: { 'metal3.io/uuid': host.metadata.uid, 'node-role.kubernetes.io/control-plane': '' } },
        spec: { providerID: `metal3://${host.metadata.uid}` },
      });
    } finally {
      await workload.close();
    }
    expect(await machineOf(lab, 0)).toMatchObject({
      running: 'disk',
      disk: { image: { url: image().url }, configDrive: { metaData: { name: HOST, uuid: host.metadata.uid } } },
      node: { phase: 'joined', name: HOST },
    });
  });

  test('is returned by a query', async () => {
    const { temporalCli, temporalAddress, temporalNamespace } = lab.endpoints;
    const id = `metal3machine/${NAMESPACE}/${MACHINE}`;
    const where = ['--address', temporalAddress, '--namespace', temporalNamespace];
    const args = ['workflow', 'query', ...where, '--workflow-id', id, '--type', 'view'];
    const { stdout } = await execa(temporalCli, [...args, '--output', 'json']);
    expect(stdout).toContain(`metal3://${host.metadata.uid}`);
  });

  test('shows the fields of the documents by their own names in v1beta1', async () => {
    const older = (kind: StoryKind, name: string): Promise<Seen> => read(lab, kind, name, { version: 'v1beta1' });
    expect(await older('Cluster', CLUSTER)).toMatchObject({
      spec: { infrastructureRef: { kind: 'Metal3Cluster', name: CLUSTER, namespace: NAMESPACE } },
      status: { infrastructureReady: true, phase: 'Provisioned' },
    });
    expect(await older('Metal3Cluster', CLUSTER)).toMatchObject({
      spec: { noCloudProvider: true },
      status: { ready: true },
    });
    expect(await older('Machine', MACHINE)).toMatchObject({
      spec: { bootstrap: { dataSecretName: MACHINE } },
      status: { bootstrapReady: true, infrastructureReady: true, nodeRef: { name: HOST } },
    });
    expect(await older('Metal3Machine', MACHINE)).toMatchObject({ status: { ready: true } });
    expect(await older('KubeadmConfig', MACHINE)).toMatchObject({
      spec: { initConfiguration: { nodeRegistration: { kubeletExtraArgs: NODE_LABELS } } },
      status: { ready: true },
    });
  });
});

describe('manifests of the documents, in v1beta1', () => {
  const namespace = 'older';
  const manifest = async (): Promise<string> =>
    readFile(new URL('support/seed-test1-v1beta1.yaml', import.meta.url), 'utf8');

  test('are the same objects as those of today', async () => {
    await kubectl(lab, ['create', 'namespace', namespace]);
    await kubectl(lab, ['apply', '-n', namespace, '-f', '-'], { input: await manifest() });
    const specOf = (kind: StoryKind, name: string): unknown =>
      story.manifests.find((one) => one.kind === kind && one.metadata.name === name)?.spec;
    const stored = async (kind: StoryKind, name: string): Promise<object> =>
      (await read(lab, kind, name, { namespace })).spec;
    expect(await stored('Cluster', CLUSTER)).toEqual({ ...(specOf('Cluster', CLUSTER) as object), paused: true });
    expect(await stored('Metal3Cluster', CLUSTER)).toEqual({
      cloudProviderEnabled: false,
      controlPlaneEndpoint: { host: '192.168.111.249', port: 6443 },
    });
    expect(await stored('Machine', MACHINE)).toEqual({
      ...(specOf('Machine', MACHINE) as object),
      deletion: { nodeDeletionTimeoutSeconds: 10 },
    });
    expect(await stored('Metal3Machine', MACHINE)).toEqual({
      image: {
        url: 'http://172.22.0.1/images/bionic-server-cloudimg-amd64.img',
        checksum: 'http://172.22.0.1/images/bionic-server-cloudimg-amd64.img.md5sum',
      },
    });
    const { initConfiguration } = specOf('KubeadmConfig', MACHINE) as Record<string, unknown>;
    expect(await stored('KubeadmConfig', MACHINE)).toEqual({ initConfiguration });
  });

  test('are refused where they name a field that is gone', async () => {
    const given = (await manifest()).replace(/controlPlaneEndpoint: .*/, 'apiEndpoint: https://192.168.111.249:6443');
    await expect(kubectl(lab, ['apply', '-n', namespace, '-f', '-'], { input: given })).rejects.toThrow(
      'unknown field "spec.apiEndpoint"',
    );
  });
});

describe('the Cluster that is deleted', () => {
  test('takes all that belongs to it along, and leaves hosts, their Secrets and unused templates', async () => {
    await apply(lab, ...unusedTemplates());
    const secrets = [MACHINE, `${MACHINE}-metadata`, `${CLUSTER}-kubeconfig`, `${CLUSTER}-ca`];
    await kubectl(lab, ['delete', 'cluster', '-n', NAMESPACE, CLUSTER, '--timeout=600s']);

    for (const [kind, name] of GOES) await expect.poll(() => find(lab, kind, name)).toBeUndefined();
    for (const name of secrets) {
      await expect.poll(() => secretOf(lab, name).catch((error: unknown) => String(error))).toContain('404');
    }
    for (const [kind, name] of STAYS) expect(await find(lab, kind, name)).toBeDefined();
    await expect
      .poll(() => read(lab, 'BareMetalHost', HOST))
      .toMatchObject({ spec: { online: false }, status: { provisioning: { state: 'available' } } });
    expect(Object.keys((await read(lab, 'BareMetalHost', HOST)).spec)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(consumerRef|image|userData|metaData)$/)]),
    );
    expect((await secretOf(lab, 'node-1-bmc-secret')).data).toEqual({ username: 'admin', password: 'password' });
  });
});
