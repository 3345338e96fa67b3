import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { aClusterctl, type Clusterctl, exampleVariables, VERSIONS } from './support/clusterctl.ts';
import { aFixtureLab, type TestFixtureLab } from './support/fixture.ts';
import { kubectl } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { runProviders } from './support/providers.ts';

/** The real clusterctl with what `npm run package` writes, on API servers that have nothing but what it installs. */

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
    aClusterctl(folder),
  ]);
  const init = ['init', '--infrastructure', `metal3:${VERSIONS.installed}`];
  await Promise.all([source, target].map((lab) => clusterctl(lab.endpoints.kubeconfig, init)));
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
const get = async (lab: AnyLab, ...args: readonly string[]): Promise<readonly z.infer<typeof manifest>[]> =>
  z.object({ items: z.array(manifest) }).parse(JSON.parse(await kubectl(lab, ['get', '-o', 'json', ...args]))).items;

/** The rows of a table that it printed, their columns by single blanks. */
const rowsOf = (printed: string): readonly string[] =>
  printed.split('\n').map((row) => row.trim().replace(/\s+/g, ' '));

describe('clusterctl init', () => {
  test('installs the provider beside those of Cluster API and keeps account of it', async () => {
    const inventory = await get(source, '-A', 'providers.clusterctl.cluster.x-k8s.io');
    expect(inventory.map(({ metadata, ...of }) => [metadata.name, of['type'], of['version']])).toEqual(
      expect.arrayContaining([['infrastructure-metal3', 'InfrastructureProvider', VERSIONS.installed]]),
    );
    expect(inventory).toHaveLength(4);
  });

  test('labels its kinds as the provider’s, and those that a move takes along', async () => {
    const crds = await get(source, 'crds', '-l', 'cluster.x-k8s.io/provider=infrastructure-metal3');
    const names = (of: typeof crds) => of.map(({ metadata }) => metadata.name);
    expect(names(crds)).toEqual(expect.arrayContaining(['baremetalhosts.metal3.io', 'ippools.ipam.metal3.io']));
    expect(crds.filter(({ metadata }) => metadata.labels['clusterctl.cluster.x-k8s.io'] === undefined)).toEqual([]);
    const having = (label: string) => names(crds.filter(({ metadata }) => label in metadata.labels));
    expect(having('clusterctl.cluster.x-k8s.io/move-hierarchy')).toEqual(['baremetalhosts.metal3.io']);
    expect(having('clusterctl.cluster.x-k8s.io/move')).toEqual(['metal3datatemplates.infrastructure.cluster.x-k8s.io']);
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
    const whose = ['--infrastructure', 'metal3', '--target-namespace', namespace];
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

  test('makes one of our ClusterClass, whose topology comes about', async () => {
    await kubectl(source, ['create', 'namespace', 'topology']);
    const input = await generate('classy', 'topology', '--flavor', 'topology');
    await kubectl(source, ['apply', '-f', '-'], { input });
    const wait = ['wait', '-n', 'topology', 'cluster/classy', '--timeout=240s'];
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
    expect(machines.map(({ spec }) => spec)).toMatchObject([
      { template: { spec: { image, dataTemplate: { name: 'metal3-controlplane' } } } },
      { template: { spec: { image, dataTemplate: { name: 'metal3-worker' } } } },
    ]);
  });
});
