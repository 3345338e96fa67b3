import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { aClusterctl, type Clusterctl, exampleVariables, IMAGE, VERSIONS } from './support/clusterctl.ts';
import { aFixtureLab, type TestFixtureLab } from './support/fixture.ts';
import { apply, createHost, hostIn, hostThat, kubectl } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { PATIENCE } from './support/machines.ts';
import { machineOf, powerOf } from './support/metal.ts';
import { CLUSTER, joinNodes, movedCluster } from './support/moved-cluster.ts';
import { runProviders } from './support/providers.ts';
import { forgetRecorded, recorded } from './support/recorded.ts';

/**
 * The real clusterctl with the commands of docs/clusterctl.md, without a network, on API servers with nothing but what
 * it installs.
 */

const record = recordCommands('test/e2e/clusterctl.test.ts');
let folder: string;
let clusterctl: Clusterctl;
let source: TestLab;
let target: TestFixtureLab;
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-clusterctl-'));
  const bare = { temper: false, crds: false } as const;
  [source, target, clusterctl] = await Promise.all([
    aLab({ ...bare, machines: 3 }),
    aFixtureLab(bare),
    aClusterctl(folder, ['npm run package', 'cat >> dist/clusterctl.yaml'], (commands) => record.ran(commands)),
  ]);
  await Promise.all([
    clusterctl.page(source.endpoints.kubeconfig, 'export CLUSTERCTL_DISABLE_VERSIONCHECK'),
    clusterctl.page(target.endpoints.kubeconfig, 'clusterctl --config dist/clusterctl.yaml init'),
  ]);
  await clusterctl.releaseNext();
  running.push(...(await Promise.all([source, target].map((lab) => runProviders(lab, source.endpoints)))));
});
afterAll(async () => {
  await Promise.all(running.map((providers) => providers.stop()));
  await Promise.all([source?.stop(), target?.stop()]);
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

type AnyLab = TestLab | TestFixtureLab;
const run = (lab: AnyLab, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string> =>
  clusterctl(lab.endpoints.kubeconfig, args, env);

const manifest = z.looseObject({
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
});
const named = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });
const get = async (lab: AnyLab, ...args: readonly string[]): Promise<readonly z.infer<typeof manifest>[]> =>
  z.object({ items: z.array(manifest) }).parse(JSON.parse(await kubectl(lab, ['get', '-o', 'json', ...args]))).items;

/** The rows of a printed table, with single spaces between columns. */
const rowsOf = (printed: string): readonly string[] =>
  printed.split('\n').map((row) => row.trim().replace(/\s+/g, ' '));

describe('clusterctl init', () => {
  test('installs the provider beside those of Cluster API and keeps account of it', async () => {
    const inventory = await get(source, '-A', 'providers.clusterctl.cluster.x-k8s.io');
    expect(inventory.map(({ metadata, ...of }) => [metadata.name, of['type'], of['version']])).toEqual(
      expect.arrayContaining([
        ['infrastructure-metal3', 'InfrastructureProvider', VERSIONS.installed],
        ['ipam-metal3', 'IPAMProvider', VERSIONS.installed],
      ]),
    );
    expect(inventory).toHaveLength(5);
  });

  test('labels its kinds as the provider’s, and those that a move takes along', async () => {
    const crdsOf = (provider: string) => get(source, 'crds', '-l', `cluster.x-k8s.io/provider=${provider}`);
    const crds = await crdsOf('infrastructure-metal3');
    const names = (of: typeof crds) => of.map(({ metadata }) => metadata.name);
    expect(names(crds)).toContain('baremetalhosts.metal3.io');
    const ofAddresses = ['ipaddresses', 'ipclaims', 'ippools'].map((plural) => `${plural}.ipam.metal3.io`);
    expect(names(await crdsOf('ipam-metal3'))).toEqual(ofAddresses);
    expect(crds.filter(({ metadata }) => metadata.labels['clusterctl.cluster.x-k8s.io'] === undefined)).toEqual([]);
    const having = (label: string) => names(crds.filter(({ metadata }) => label in metadata.labels));
    expect(having('clusterctl.cluster.x-k8s.io/move-hierarchy')).toEqual(['baremetalhosts.metal3.io']);
    expect(having('clusterctl.cluster.x-k8s.io/move')).toEqual(['metal3datatemplates.infrastructure.cluster.x-k8s.io']);
  });
});

describe('clusterctl init list-images', () => {
  test('names the image that would run', async () => {
    const printed = await run(source, ['init', 'list-images', '--infrastructure', `metal3:${VERSIONS.installed}`]);
    expect(printed.split('\n')).toContain(IMAGE);
  });
});

describe('clusterctl generate provider', () => {
  test('into another namespace leaves nothing that names the usual one, so that the policy about Secrets and the webhooks find their accounts and Service', async () => {
    const provider = ['--infrastructure', `metal3:${VERSIONS.installed}`, '--target-namespace', 'elsewhere'];
    const printed = await run(source, ['generate', 'provider', ...provider]);
    expect(printed.match(/^.*capm3-system.*$/gm)).toBeNull();
    const objects = parseAllDocuments(printed).map((one) => named.parse(one.toJS()));
    const subject = (name: string) => ({ kind: 'ServiceAccount', name, namespace: 'elsewhere' });
    expect(
      objects.find(({ kind, metadata }) => kind === 'ClusterRoleBinding' && metadata.name === 'capm3-accounts'),
    ).toMatchObject({ subjects: [subject('capm3-manager'), subject('capm3-workers')] });
  });
});

describe('clusterctl upgrade plan', () => {
  test('offers the next release of the same contract', async () => {
    const rows = rowsOf(await run(source, ['upgrade', 'plan']));
    expect(rows).toContain('Latest release available for the v1beta2 Cluster API contract version:');
    expect(rows).toContain(
      `infrastructure-metal3 capm3-system InfrastructureProvider ${VERSIONS.installed} ${VERSIONS.next}`,
    );
  });
});

describe('clusterctl generate cluster', () => {
  const COUNTS = [
    '--kubernetes-version',
    'v1.34.4',
    '--control-plane-machine-count',
    '3',
    '--worker-machine-count',
    '2',
  ];
  const generate = async (name: string, namespace: string, ...args: readonly string[]): Promise<string> => {
    const whose = ['--target-namespace', namespace, ...(args.includes('--from') ? [] : ['--infrastructure', 'metal3'])];
    return run(source, ['generate', 'cluster', name, ...whose, ...COUNTS, ...args], await exampleVariables(folder));
  };

  test('makes a cluster that all providers accept', async () => {
    const input = await generate('generated', 'default');
    const answer = await kubectl(source, ['apply', '--dry-run=server', '-f', '-'], { input });
    expect(answer.trim().split('\n').toSorted()).toEqual(
      [
        'cluster.cluster.x-k8s.io/generated',
        'kubeadmconfigtemplate.bootstrap.cluster.x-k8s.io/generated-workers',
        'kubeadmcontrolplane.controlplane.cluster.x-k8s.io/generated',
        'machinedeployment.cluster.x-k8s.io/generated',
        'metal3cluster.infrastructure.cluster.x-k8s.io/generated',
        'metal3datatemplate.infrastructure.cluster.x-k8s.io/generated-controlplane-template',
        'metal3datatemplate.infrastructure.cluster.x-k8s.io/generated-workers-template',
        'metal3machinetemplate.infrastructure.cluster.x-k8s.io/generated-controlplane',
        'metal3machinetemplate.infrastructure.cluster.x-k8s.io/generated-workers',
      ].map((object) => `${object} created (server dry run)`),
    );
  });

  test("takes a user's template in v1beta1, whose control plane shows what its machine waits for", async () => {
    await kubectl(source, ['create', 'namespace', 'theirs']);
    const input = await generate(
      'older',
      'theirs',
      '--from',
      join(import.meta.dirname, 'support/template-v1beta1.yaml'),
    );
    await kubectl(source, ['apply', '-f', '-'], { input });
    const inTheirs = async (kind: string) => (await get(source, '-n', 'theirs', kind)).map(({ spec }) => spec);
    expect(await inTheirs('metal3clusters')).toEqual([
      { cloudProviderEnabled: false, controlPlaneEndpoint: { host: '192.168.111.249', port: 6443 } },
    ]);
    const machine = {
      automatedCleaningMode: 'metadata',
      dataTemplate: { name: 'older-controlplane-template' },
      hostSelector: { matchExpressions: [{ key: 'rack', operator: 'in', values: ['r1', 'r2'] }] },
      image: {
        url: 'http://192.168.0.1/ubuntu.qcow2',
        checksum: 'http://192.168.0.1/ubuntu.qcow2.sha256sum',
        checksumType: 'sha256',
        diskFormat: 'qcow2',
      },
    };
    expect(await inTheirs('metal3machinetemplates')).toEqual([{ nodeReuse: false, template: { spec: machine } }]);
    expect(await inTheirs('metal3datatemplates')).toMatchObject([
      { metaData: { ipAddressesFromPool: [{ key: 'provisioningIP', kind: 'IPPool', name: 'provisioning-pool' }] } },
    ]);
    await expect.poll(() => inTheirs('metal3machines'), PATIENCE).toMatchObject([machine]);
    const described = () => kubectl(source, ['describe', '-n', 'theirs', 'metal3machines']);
    await expect.poll(described, PATIENCE).toContain('no available host found. there are no hosts in this namespace');
  });

  test('makes one of our ClusterClass, whose topology comes about', async () => {
    await kubectl(source, ['create', 'namespace', 'topology']);
    const input = await generate('classy', 'topology', '--flavor', 'topology');
    await kubectl(source, ['apply', '-f', '-'], { input });
    const wait = ['wait', '-n', 'topology', 'cluster/classy', '--timeout=600s'];
    await kubectl(source, [...wait, '--for=condition=TopologyReconciled']);
    const [metal3Cluster] = await get(source, '-n', 'topology', 'metal3clusters');
    expect(metal3Cluster?.['spec']).toMatchObject({ controlPlaneEndpoint: { host: '192.168.111.249', port: 6443 } });
    const [controlPlane] = await get(source, '-n', 'topology', 'kubeadmcontrolplanes');
    expect(controlPlane?.['spec']).toMatchObject({ replicas: 3, version: 'v1.34.4' });
    const [workers] = await get(source, '-n', 'topology', 'machinedeployments');
    expect(workers?.['spec']).toMatchObject({ replicas: 2 });
    const image = { url: 'http://192.168.0.1/ubuntu.qcow2', diskFormat: 'qcow2' };
    const machines = await get(
      source,
      '-n',
      'topology',
      'metal3machinetemplates',
      '-l',
      'topology.cluster.x-k8s.io/owned',
    );
    // Their names end at random; only those of workers belong to a deployment.
    const deploymentOf = (template: (typeof machines)[number]): string =>
      template.metadata.labels['topology.cluster.x-k8s.io/deployment-name'] ?? '';
    const inOrder = machines.toSorted((a, b) => deploymentOf(a).localeCompare(deploymentOf(b)));
    expect(inOrder.map(({ spec }) => spec)).toMatchObject([
      { template: { spec: { image, dataTemplate: { name: 'metal3-controlplane' } } } },
      { template: { spec: { image, dataTemplate: { name: 'metal3-worker' } } } },
    ]);
  });
});

describe('a cluster on hosts of Ironic', () => {
  const MACHINES = [0, 1, 2] as const;
  const disks = (): Promise<readonly Awaited<ReturnType<typeof machineOf>>['disk'][]> =>
    Promise.all(MACHINES.map(async (index) => (await machineOf(source, index)).disk));
  let hosts: readonly string[];
  /** The Node with the older format. */
  let legacyId: string;

  beforeAll(async () => {
    hosts = await Promise.all(MACHINES.map((index) => createHost(source, index)));
    await Promise.all(hosts.map((host) => hostIn(source, host, 'available')));
    await apply(source, ...(await movedCluster(source, target, 2)));
    const provisioned = await Promise.all(hosts.map((host) => hostIn(source, host, 'provisioned')));
    legacyId = `metal3://${provisioned[0]?.metadata.uid}`;
    const nodes = provisioned.map(({ metadata, spec }, index) => ({
      name: z.object({ consumerRef: z.object({ name: z.string() }) }).parse(spec).consumerRef.name,
      hostUid: metadata.uid,
      providerID: index === 0 ? legacyId : undefined,
    }));
    await joinNodes(target, nodes);
    const ready = ['--all', '--for=condition=Ready', '--timeout=600s'];
    await kubectl(source, ['wait', 'machines.v1beta2.cluster.x-k8s.io', ...ready]);
  });

  test('is described by clusterctl with our kinds and how ready they are', async () => {
    const rows = rowsOf(await run(source, ['describe', 'cluster', CLUSTER, '--echo', '--grouping=false']));
    const ready = rows.flatMap((row) => /(Metal3\w+) \S+ True Ready /.exec(row)?.[1] ?? []);
    expect(ready).toEqual(['Metal3Cluster', 'Metal3Machine', 'Metal3Machine', 'Metal3Machine']);
  });

  /** Values that must be the same in both clusters, by kind and name. */
  const cluster = async (lab: AnyLab): Promise<readonly unknown[]> => {
    const some = z.record(z.string(), z.unknown()).default({});
    const items = async (kind: string, pick: (spec: z.infer<typeof some>, status: z.infer<typeof some>) => object) =>
      (await get(lab, '-n', 'default', kind)).map(({ metadata, ...item }) => ({
        object: `${kind}/${metadata.name}`,
        ...pick(some.parse(item['spec']), some.parse(item['status'])),
      }));
    return [
      ...(await items('baremetalhosts', ({ consumerRef, image }, status) => {
        const { provisioning, poweredOn, operationHistory, hardware } = status;
        // Only the version of the BMC Secret differs, so the host is registered again.
        const { register: _, ...history } = some.parse(operationHistory);
        return { consumerRef, image, provisioning, poweredOn, history, hardware };
      })),
      ...(await items('hardwaredata', ({ hardware }) => ({ hardware }))),
      ...(await items('metal3machines', ({ providerID }, { initialization }) => ({ providerID, initialization }))),
      ...(await items('metal3datas', ({ index, claim }, { ready }) => ({ index, claim, ready }))),
      ...(await items('metal3dataclaims', (_, { renderedData }) => ({ renderedData }))),
      ...(await items('ippools.ipam.metal3.io', ({ clusterName, pools }, { indexes }) => ({
        clusterName,
        pools,
        indexes,
      }))),
      ...(await items('ipclaims.ipam.metal3.io', ({ pool }, { address }) => ({ pool, address }))),
      ...(await items('ipaddresses.ipam.metal3.io', (spec) => spec)),
      ...(await items('machines.v1beta2.cluster.x-k8s.io', (_, { nodeRef, phase }) => ({ nodeRef, phase }))),
    ];
  };

  /** What is handed out, in order: an address that was given twice would be there twice. */
  const addressesIn = async (lab: AnyLab): Promise<readonly unknown[]> =>
    (await get(lab, '-n', 'default', 'ipaddresses.ipam.metal3.io'))
      .map(({ spec }) => z.object({ address: z.string() }).parse(spec).address)
      .toSorted();

  const inCluster = (lab: AnyLab) =>
    get(lab, '-n', 'default', 'secrets', '-l', `cluster.x-k8s.io/cluster-name=${CLUSTER}`);
  /** The rendered data of each machine; it contains no uid. */
  const renderedData = async (lab: AnyLab): Promise<readonly unknown[]> =>
    (await inCluster(lab))
      .filter(({ metadata }) => metadata.name.endsWith('-metadata'))
      .map(({ metadata: { name, labels }, type, data }) => ({ name, labels, type, data }));

  test('is moved to another API server, and Ironic gets no request that changes a server', async () => {
    const before = await cluster(source);
    const onDisk = await disks();
    const data = await renderedData(source);
    expect(before).toHaveLength(25);
    expect(data).toHaveLength(3);
    const addresses = await addressesIn(source);
    expect(addresses).toEqual(['172.22.200.10', '172.22.200.11', '172.22.200.12']);
    const ids = before.flatMap(
      (object) => z.looseObject({ providerID: z.string().optional() }).parse(object).providerID ?? [],
    );
    const byNames = ['host-1', 'host-2'].map((host) => expect.stringContaining(`metal3://default/${host}/`) as string);
    expect(ids).toHaveLength(3);
    expect(ids).toEqual(expect.arrayContaining([legacyId, ...byNames]));
    await forgetRecorded(source);

    const into = { target: target.endpoints.kubeconfig, namespace: 'default' };
    await clusterctl.page(source.endpoints.kubeconfig, 'clusterctl --config dist/clusterctl.yaml move', into);
    await expect.poll(() => cluster(target), PATIENCE).toEqual(before);
    for (const host of hosts) {
      await hostThat(target, host, 'no longer paused', ({ metadata: { annotations } }) => {
        const isPaused = 'baremetalhost.metal3.io/paused' in annotations;
        return !isPaused && 'clusterctl.cluster.x-k8s.io/block-move' in annotations;
      });
    }
    expect(await cluster(source)).toEqual([]);
    expect(await addressesIn(target)).toEqual(addresses);
    expect(await renderedData(target)).toEqual(data);
    expect((await inCluster(target)).map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(hosts.map((host) => `${host}-bmc`)),
    );
    const { kinds } = await recorded(source);
    for (const kind of ['provision', 'power', 'create node', 'delete node']) expect(kinds).not.toHaveProperty([kind]);
    expect(await disks()).toEqual(onDisk);
    expect(await Promise.all(MACHINES.map((index) => powerOf(source, index)))).toEqual(['On', 'On', 'On']);
  });

  test('keeps its addresses where it was moved to: the next claim gets another one', async () => {
    const claim = { namespace: 'default', name: 'one-more' };
    const spec = { pool: { name: CLUSTER } };
    await apply(target, { apiVersion: 'ipam.metal3.io/v1alpha1', kind: 'IPClaim', metadata: claim, spec });
    await expect
      .poll(() => addressesIn(target), PATIENCE)
      .toEqual(['172.22.200.10', '172.22.200.11', '172.22.200.12', '172.22.200.13']);
    await kubectl(target, ['delete', '-n', 'default', 'ipclaims.ipam.metal3.io/one-more', '--timeout=600s']);
    await expect.poll(() => addressesIn(target), PATIENCE).toHaveLength(3);
  });

  test('is deleted where it was moved to, which gives its hosts and addresses back', async () => {
    await kubectl(target, ['delete', `clusters.v1beta2.cluster.x-k8s.io/${CLUSTER}`, '--timeout=600s']);
    const free = await Promise.all(hosts.map((host) => hostIn(target, host, 'available')));
    expect(free.filter(({ spec }) => 'consumerRef' in spec)).toEqual([]);
    expect((await disks()).map(({ image }) => image)).toEqual([null, null, null]);
    const left = 'metal3datas,ipclaims.ipam.metal3.io,ipaddresses.ipam.metal3.io,ippools.ipam.metal3.io';
    await expect.poll(() => get(target, '-n', 'default', left), PATIENCE).toEqual([]);
  });
});
