import { describe, expect, test } from 'vitest';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { collectionPath } from '../../kube/paths.ts';
import { objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { createReading } from '../reading.ts';
import { machineLines, planMachine } from './machine.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const IMAGE = { url: 'http://user:secret@images/a.raw', checksum: 'abc', checksumType: 'md5' };

async function linesFor(
  wanted: object | undefined,
  hosts: readonly object[],
  deleting = false,
  kind: FollowedKind = KINDS.metal3Machine,
  others: readonly (readonly [FollowedKind, object])[] = [],
): Promise<readonly string[]> {
  const { kube } = objectsInMemory();
  const all = [...hosts.map((host) => [KINDS.host, host] as const), ...others];
  for (const [of, body] of all) await kube.request({ method: 'POST', path: collectionPath(of, 'metal'), body });
  const reading = createReading(kube);
  const machine = 'metal/worker-1';
  return machineLines(await planMachine({ reading, kind, machine, live: wanted, wanted, deleting, now: NOW }));
}

const object = (
  { apiVersion, kind }: FollowedKind,
  name: string,
  { metadata = {}, ...rest }: { readonly metadata?: object; readonly [key: string]: unknown },
): object => ({
  apiVersion,
  kind,
  metadata: {
    name,
    namespace: 'metal',
    uid: name,
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation: 1,
    ...metadata,
  },
  ...rest,
});

const machine = (spec: object, host?: string): object =>
  object(KINDS.metal3Machine, 'worker-1', {
    metadata: { annotations: host === undefined ? {} : { 'metal3.io/BareMetalHost': `metal/${host}` } },
    spec: { image: IMAGE, ...spec },
  });

const host = (name: string, spec: object, provisioning: object, labels: object = {}): object =>
  object(KINDS.host, name, {
    metadata: { labels, finalizers: ['baremetalhost.metal3.io'] },
    spec: {
      online: true,
      bootMACAddress: '52:54:00:00:00:01',
      bmc: { address: 'redfish-virtualmedia://10.0.0.7/1', credentialsName: `${name}-bmc` },
      ...spec,
    },
    status: {
      operationalStatus: 'OK',
      errorMessage: '',
      poweredOn: true,
      lastUpdated: '2026-01-01T11:00:00Z',
      hardwareProfile: 'unknown',
      hardware: { cpu: { arch: 'x86_64' } },
      provisioning: { ID: 'n', rootDeviceHints: { deviceName: '/dev/sda' }, ...provisioning },
    },
  });
const free = (name: string, labels: object = {}): object => host(name, {}, { state: 'available' }, labels);
const used = (name: string, spec: object = {}): object =>
  host(
    name,
    { image: IMAGE, consumerRef: { kind: 'Metal3Machine', name: 'worker-1', namespace: 'metal' }, ...spec },
    { state: 'provisioned', image: IMAGE },
  );

test('a machine that is deleted has its host erased and powered off', async () => {
  const lines = await linesFor(machine({}, 'node-1'), [used('node-1', { userData: { name: 'boot' } })], true);
  expect(lines).toEqual([
    'Metal3Machine metal/worker-1: gives back its host node-1',
    '  BareMetalHost metal/node-1',
    '    spec.online: true -> false',
    '    spec.image: {"url":"http://***@images/a.raw","checksum":"abc","checksumType":"md5"} -> none',
    '    spec.userData: {"name":"boot"} -> none',
    '    spec.consumerRef: {"kind":"Metal3Machine","name":"worker-1","namespace":"metal"} -> none',
    '    1. deprovisioning: remove http://images/a.raw',
    '    2. deprovisioning: clean the disks  ERASES the partition tables of all disks',
    '    then it is available and powered off (off, as spec.online says; waiting for an image in spec.image)',
  ]);
});

test('a machine that runs has nothing done to its host', async () => {
  expect(await linesFor(machine({}, 'node-1'), [used('node-1')])).toEqual([
    'Metal3Machine metal/worker-1: has host node-1',
    '  BareMetalHost metal/node-1',
    '    nothing to do: it stays provisioned and powered on (provisioned as desired)',
  ]);
});

test('a machine without a host erases one of those that it may choose', async () => {
  const rack = { hostSelector: { matchLabels: { rack: 'a' } } };
  const hosts = [free('node-1'), free('node-2', { rack: 'a' }), free('node-3', { rack: 'a' }), used('node-4')];
  const lines = await linesFor(machine(rack), hosts);
  expect(lines.slice(0, 2)).toEqual([
    'Metal3Machine metal/worker-1: chooses one of 2 hosts: node-2, node-3; on node-2:',
    '  BareMetalHost metal/node-2',
  ]);
  expect(lines.join('\n')).toMatch(
    /ERASES the disk with deviceName \/dev\/sda[^]*then it is provisioned and powered on/,
  );
});

test('a machine that gets no host erases none', async () => {
  expect(await linesFor(machine({ hostSelector: { matchLabels: { rack: 'b' } } }), [free('node-1')])).toEqual([
    "Metal3Machine metal/worker-1: gets no host now: 1 host: 1 don't match hostSelector; `temper explain machine` says more",
  ]);
  expect(await linesFor(machine({}), [free('node-1')], true)).toEqual([
    'Metal3Machine metal/worker-1: has no host: nothing is done to any',
  ]);
});

test('a machine that cannot be planned says why', async () => {
  expect(await linesFor(undefined, [])).toEqual([
    'Metal3Machine metal/worker-1 (new)',
    '  cannot be planned: it does not exist, or cannot be read',
  ]);
  expect(await linesFor(machine({ hostSelector: { matchLabels: { 'rack 1': 'a' } } }), [free('node-1')])).toEqual([
    'Metal3Machine metal/worker-1',
    expect.stringContaining('  cannot be planned: hostSelector: key: Invalid value: "rack 1": name part must '),
  ]);
  expect(await linesFor(machine({}, 'gone'), [])).toEqual([
    'Metal3Machine metal/worker-1',
    '  cannot be planned: its host gone does not exist, or cannot be read',
  ]);
});

describe('a machine of a MachineDeployment whose hosts are reserved', () => {
  const CLUSTER = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'metal' };
  const reserved = (name: string, state: string, cluster = 'prod'): object =>
    host(
      name,
      { consumerRef: { ...CLUSTER, name: cluster } },
      { state },
      { 'infrastructure.cluster.x-k8s.io/node-reuse': 'md-workers' },
    );
  const owned = (apiVersion: string, kind: string, name: string): object => ({
    ownerReferences: [{ apiVersion, kind, name, uid: name }],
  });
  const API = 'cluster.x-k8s.io/v1beta2';
  const worker = object(KINDS.metal3Machine, 'worker-1', {
    metadata: owned(API, 'Machine', 'worker'),
    spec: { image: IMAGE },
  });
  const chain = (machineSet = 'workers-1'): readonly (readonly [FollowedKind, object])[] => [
    [KINDS.cluster, object(KINDS.cluster, 'prod', {})],
    [KINDS.machine, object(KINDS.machine, 'worker', { metadata: owned(API, 'MachineSet', machineSet), spec: {} })],
    [KINDS.machineSet, object(KINDS.machineSet, 'workers-1', { metadata: owned(API, 'MachineDeployment', 'workers') })],
  ];
  const first = async (hosts: readonly object[], others = chain()): Promise<string> =>
    (await linesFor(worker, hosts, false, KINDS.metal3Machine, others))[0] ?? '';

  test('chooses its reserved host before others', async () => {
    expect(await first([free('node-2'), reserved('node-1', 'available')])).toBe(
      'Metal3Machine metal/worker-1: chooses host node-1',
    );
  });

  test('waits for its reserved host while that is cleaned, although another is free', async () => {
    expect(await first([free('node-2'), reserved('node-1', 'deprovisioning')])).toContain(
      'gets no host now: host node-1 is reserved for this machine and is not available yet (deprovisioning)',
    );
  });

  test('chooses no host that is reserved for others, unless their Cluster is deleted', async () => {
    const others = chain('others-1');
    const hosts = (cluster?: string): readonly object[] => [reserved('node-1', 'available', cluster)];
    expect(await first(hosts(), others)).toContain('gets no host now: 1 host: 1 reserved for other machines');
    expect(await first(hosts('gone'), others)).toBe('Metal3Machine metal/worker-1: chooses host node-1');
  });
});

test('a machine with a failure domain chooses within it', async () => {
  const api = 'cluster.x-k8s.io/v1beta2';
  const ownerReferences = [{ apiVersion: api, kind: 'Machine', name: 'worker', uid: 'worker' }];
  const wanted = object(KINDS.metal3Machine, 'worker-1', { metadata: { ownerReferences }, spec: { image: IMAGE } });
  const owner = object(KINDS.machine, 'worker', { spec: { failureDomain: 'west' } });
  const west = { 'infrastructure.cluster.x-k8s.io/failure-domain': 'west' };
  const hosts = [free('node-1'), free('node-2', west)];
  const [line] = await linesFor(wanted, hosts, false, KINDS.metal3Machine, [[KINDS.machine, owner]]);
  expect(line).toBe('Metal3Machine metal/worker-1: chooses host node-2');
});

describe('a Machine of the Machine API', () => {
  const SPEC = { image: { url: 'http://images/b.raw', checksum: 'abc' }, hostSelector: { matchLabels: { rack: 'a' } } };
  const openShift = (value: object, host?: string): object =>
    object(KINDS.openShiftMachine, 'worker-1', {
      metadata: { annotations: host === undefined ? {} : { 'metal3.io/BareMetalHost': `metal/${host}` } },
      spec: { providerSpec: { value } },
    });
  const lines = (wanted: object, hosts: readonly object[], deleting = false): Promise<readonly string[]> =>
    linesFor(wanted, hosts, deleting, KINDS.openShiftMachine);

  test('without a host erases the one that its selector chooses', async () => {
    const told = await lines(openShift(SPEC), [free('node-1'), free('node-2', { rack: 'a' })]);
    expect(told.slice(0, 2)).toEqual([
      'Machine.machine.openshift.io metal/worker-1: chooses host node-2',
      '  BareMetalHost metal/node-2',
    ]);
    const text = told.join('\n');
    expect(text).toContain(
      'spec.consumerRef: none -> {"apiVersion":"machine.openshift.io/v1beta1","kind":"Machine","name":"worker-1","namespace":"metal"}',
    );
    expect(text).toMatch(/ERASES the disk with deviceName \/dev\/sda[^]*then it is provisioned and powered on/);
  });

  test('that is deleted has its host erased and powered off', async () => {
    const told = await lines(openShift(SPEC, 'node-1'), [used('node-1')], true);
    expect(told[0]).toBe('Machine.machine.openshift.io metal/worker-1: gives back its host node-1');
    expect(told.join('\n')).toContain('ERASES the partition tables of all disks');
  });

  test('that can not be planned says what is wrong with its spec', async () => {
    expect(await lines(openShift({ ...SPEC, disk: 'sda' }), [free('node-1')])).toEqual([
      'Machine.machine.openshift.io metal/worker-1',
      expect.stringContaining('  cannot be planned: ProviderSpec: '),
    ]);
  });
});
