import { describe, expect, test } from 'vitest';
import {
  type ClusterObjects,
  type ClusterResource,
  clusterProgress,
  type MachineResource,
  type Metal3MachineResource,
  type NodeResource,
  type RemediationResource,
} from './cluster-progress.ts';

describe('a cluster', () => {
  test('is there when each machine it wants is a ready node of its own API server', () => {
    const { isThere, controlPlane, workers, endpoint } = clusterProgress(aCluster());
    expect({ isThere, controlPlane, workers, endpoint }).toEqual({
      isThere: true,
      controlPlane: '1 of 1',
      workers: '1 of 1',
      endpoint: 'https://127.0.0.1:17443',
    });
  });

  test.each<[string, Partial<ClusterObjects>]>([
    ['while its own API server has not told of its nodes', { nodes: [] }],
    ['with a node that is not ready', { nodes: [node('cp'), node('worker', 'False')] }],
    ['with a machine too few', { machines: [machine('cp', { isControlPlane: true })] }],
    ['with a machine that is not running', { machines: [machine('cp'), machine('worker', { phase: 'Deleting' })] }],
    ['with a machine that is remediated', { remediations: [remediation('worker', 'Waiting')] }],
    ['that does not exist', { cluster: undefined, machines: [] }],
  ])('is not there %s', (_when, change) => {
    expect(clusterProgress(aCluster(change)).isThere).toBe(false);
  });

  test('shows its control planes before its workers', () => {
    const machines = [machine('a'), machine('b', { isControlPlane: true })];
    expect(clusterProgress(aCluster({ machines })).machines.map(({ role }) => role)).toEqual([
      'control plane',
      'worker',
    ]);
  });
});

describe('a machine that is not running', () => {
  const waiting = (metal3: Parameters<typeof metal3Machine>[1]): { host: string; waitsFor: string } => {
    const machines = [machine('worker', { phase: 'Provisioning', unmet: ['NodeReady', 'Waiting for its node'] })];
    const [shown] = clusterProgress(aCluster({ machines, metal3Machines: [metal3Machine('worker', metal3)] })).machines;
    return { host: shown?.host ?? '', waitsFor: shown?.waitsFor ?? '' };
  };

  test('says what its Metal3Machine waits for', () => {
    expect(waiting({ unmet: ['AssociateBareMetalHost', 'no host\nis free'] })).toEqual({
      host: '',
      waitsFor: 'no host is free',
    });
  });

  test('says of a wait what it is, without the words of an error that the contract puts before it', () => {
    const message = 'failed to update BareMetalHost: waiting for Metal3Data to become ready';
    expect(waiting({ unmet: ['AssociateMetal3MachineMetaData', message] }).waitsFor).toBe(
      'waiting for Metal3Data to become ready',
    );
  });

  test('waits for the deployment of the host it has', () => {
    expect(waiting({ host: 'host-6' })).toEqual({ host: 'host-6', waitsFor: 'host-6 is being deployed' });
  });

  describe.each(['', '* AssociateMetal3MachineMetaData: '])('waits, which is no failure (%s)', (of) => {
    test.each([
      ['could not find node with label: metal3.io/uuid=u', 'waiting for its Node (metal3.io/uuid=u)'],
      ['the API server of cluster demo is unreachable', 'waiting for the API server of cluster demo'],
    ])('when %s', (problem, words) => {
      const message = `${of}failed to set ProviderID on Metal3Machine based on Node label: ${problem}`;
      const shown = waiting({ host: 'host-6', unmet: ['AssociateMetal3MachineMetaData', message] });
      expect(shown.waitsFor).toBe(words);
    });
  });

  test('says what Cluster API waits for once its host is provisioned', () => {
    expect(waiting({ host: 'host-6', provisioned: true }).waitsFor).toBe('Waiting for its node');
  });
});

test.each([
  [undefined, 'remediation: begins'],
  ['Running', 'remediation: host-6 is powered off'],
  ['Waiting', 'remediation: host-6 is powered on, and its Node has to come back'],
  ['Deleting machine', 'remediation: Deleting machine'],
])('a machine whose remediation is in phase %s says so', (phase, waitsFor) => {
  const progress = clusterProgress(
    aCluster({
      machines: [machine('worker')],
      metal3Machines: [metal3Machine('worker', { host: 'host-6', provisioned: true })],
      remediations: [remediation('worker', phase)],
    }),
  );
  expect(progress.machines[0]).toMatchObject({ waitsFor, isRemediated: true });
});

test('a machine has the address of its Node', () => {
  const addresses = [
    { type: 'Hostname', address: 'worker' },
    { type: 'InternalIP', address: '10.0.0.10' },
  ];
  const { metadata, status } = node('worker');
  const nodes = [{ metadata, status: { ...status, addresses } }];
  expect(clusterProgress(aCluster({ machines: [machine('worker')], nodes })).machines[0]?.address).toBe('10.0.0.10');
});

test('a machine that runs waits for nothing', () => {
  const machines = [machine('worker', { unmet: ['NodeReady', 'a passing trouble'] })];
  expect(clusterProgress(aCluster({ machines })).machines[0]).toMatchObject({ waitsFor: '', node: 'v1.34.4' });
});

const aCluster = (change: Partial<ClusterObjects> = {}): ClusterObjects => ({
  cluster: cluster(),
  machines: [machine('cp', { isControlPlane: true }), machine('worker')],
  metal3Machines: [],
  remediations: [],
  nodes: [node('cp'), node('worker')],
  ...change,
});

const identity = (name: string) => ({ name, namespace: 'default', uid: name, resourceVersion: '1' });

const cluster = (): ClusterResource => ({
  metadata: identity('demo'),
  spec: { controlPlaneEndpoint: { host: '127.0.0.1', port: 17443 } },
  status: {
    phase: 'Provisioned',
    conditions: [{ type: 'Available', status: 'True' }],
    controlPlane: { desiredReplicas: 1, readyReplicas: 1 },
    workers: { desiredReplicas: 1, readyReplicas: 1 },
  },
});

type Unmet = readonly [type: string, message: string];

const conditionsOf = (unmet: Unmet | undefined) =>
  unmet === undefined ? [] : [{ type: unmet[0], status: 'False', reason: 'Waiting', message: unmet[1] }];

const machine = (
  name: string,
  {
    isControlPlane = false,
    phase = 'Running',
    unmet,
  }: { isControlPlane?: boolean; phase?: string; unmet?: Unmet } = {},
): MachineResource => ({
  metadata: { ...identity(name), labels: isControlPlane ? { 'cluster.x-k8s.io/control-plane': '' } : {} },
  spec: { infrastructureRef: { name } },
  status: { phase, nodeRef: { name }, conditions: conditionsOf(unmet) },
});

const metal3Machine = (
  name: string,
  { host, provisioned = false, unmet }: { host?: string; provisioned?: boolean; unmet?: Unmet },
): Metal3MachineResource => ({
  metadata: {
    ...identity(name),
    annotations: host === undefined ? {} : { 'metal3.io/BareMetalHost': `default/${host}` },
  },
  status: { conditions: conditionsOf(unmet), initialization: { provisioned } },
});

const remediation = (name: string, phase?: string): RemediationResource => ({
  metadata: identity(name),
  status: phase === undefined ? {} : { phase },
});

const node = (name: string, ready = 'True'): NodeResource => ({
  metadata: identity(name),
  status: { conditions: [{ type: 'Ready', status: ready }], nodeInfo: { kubeletVersion: 'v1.34.4' } },
});
