import { describe, expect, test } from 'vitest';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { DEFAULT_HOST_SETTINGS } from '../../domain/host/memory/settings.ts';
import type { HostSnapshot } from '../../domain/host/memory/snapshot.ts';
import { hostSnapshot } from '../../domain/host/message-shapes.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { createStore, type Stores } from '../../kube/store.ts';
import { putIn } from '../../test/builders/stored-objects.ts';
import type { Unwritten } from '../binding.ts';
import { hostEssence as essence, observeHost } from './baremetalhost/observe.ts';
import { hostBinding } from './baremetalhost.ts';

const STATUS = {
  operationalStatus: 'OK',
  errorMessage: '',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: true,
  provisioning: { state: 'provisioned', ID: '1' },
} as const;

function aCr({ metadata, ...rest }: { metadata?: object; status?: BareMetalHost['status'] } = {}): BareMetalHost {
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: {
      namespace: 'metal',
      name: 'node-1',
      uid: 'u',
      resourceVersion: '7',
      generation: 2,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: { online: true, bmc: { address: 'redfish://x', credentialsName: 'bmc' }, automatedCleaningMode: 'metadata' },
    ...rest,
  };
}

/** With HardwareData, and with the Secrets that it may name in this version. */
function cluster(secret: string | null = '6'): Stores {
  const store = createStore();
  const object = { metadata: { name: 'node-1' }, spec: { hardware: { cpu: { arch: 'x86_64' } } } };
  store.put(KINDS.hardwareData, { namespace: 'metal', name: 'node-1', uid: 'h', resourceVersion: '5', object });
  for (const name of secret === null ? [] : ['bmc', 'net']) {
    store.put(KINDS.secret, { namespace: 'metal', name, uid: name, resourceVersion: secret ?? '', object: undefined });
  }
  return store;
}

function seenIn(host: BareMetalHost, from: Stores, unwritten?: Unwritten): HostSnapshot {
  const { namespace, name, uid = '', resourceVersion = '' } = host.metadata;
  const entry = { namespace, name, uid, resourceVersion, object: host };
  const seen = observeHost(entry, from, DEFAULT_HOST_SETTINGS, {
    written: undefined,
    now: 0,
    ...(unwritten && { unwritten }),
  });
  if ('problems' in seen) throw new Error(seen.problems.join('; '));
  return seen;
}

describe('a snapshot of a host', () => {
  test('holds what a policy forbids to write on the host, and its message', () => {
    const budget = { of: 'Namespace metal', budget: 'erase: 1 per rack' };
    const annotations = { 'temper/approval-inherited': JSON.stringify([budget]) };
    const host = aCr({ metadata: { labels: { rack: '7' } } });
    expect(seenIn(host, cluster(), { annotations, refusal: 'annotations are our business' })).toMatchObject({
      annotations,
      labels: { rack: '7' },
      copyRefused: 'annotations are our business',
    });
  });

  test('lacks what a policy forbids to remove from the host', () => {
    const annotations = {
      'temper/approval-inherited': JSON.stringify([
        { of: 'Namespace metal', window: '0 3 * * * 2h', budget: '1 per rack' },
      ]),
      'inspect.metal3.io': '',
    };
    const host = aCr({ metadata: { labels: { rack: '7' }, annotations } });
    expect(seenIn(host, cluster())).toMatchObject({ annotations, labels: { rack: '7' } });
    const unwritten = { annotations: { 'temper/approval-inherited': null }, refusal: 'annotations are our business' };
    const seen = seenIn(host, cluster(), unwritten);
    expect(seen).toMatchObject({ copyRefused: 'annotations are our business' });
    expect(seen.annotations).toEqual({ 'inspect.metal3.io': '' });
    expect(seen).not.toHaveProperty('labels');
  });

  test('is accepted by its workflow, whatever the length of an annotation', () => {
    const long = 'x'.repeat(70_000);
    const annotations = { 'temper/quarantine': long, 'reboot.metal3.io/mine': long };
    const seen = seenIn(aCr({ metadata: { annotations } }), cluster());
    expect(Object.keys(seen.annotations)).toEqual(Object.keys(annotations));
    expect(hostSnapshot(seen, 'the snapshot')).toBeUndefined();
  });

  test('holds all that its workflow decides by', () => {
    expect(seenIn(aCr(), cluster())).toEqual({
      namespace: 'metal',
      name: 'node-1',
      uid: 'u',
      resourceVersion: '7',
      generation: 2,
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations: {},
      spec: aCr().spec,
      settings: DEFAULT_HOST_SETTINGS,
      bmcSecret: { name: 'bmc', resourceVersion: '6' },
      hasHardwareData: true,
      hardwareArchitecture: 'x86_64',
      hasHardware: false,
    });
  });

  test('tells a Secret that is not there from one that is', () => {
    expect(seenIn(aCr(), cluster(null)).bmcSecret).toEqual({ name: 'bmc', resourceVersion: null });
  });

  test('holds the version of the Secret with the network of the deploy agent', () => {
    const host = aCr();
    const networked = { ...host, spec: { ...host.spec, preprovisioningNetworkDataName: 'net' } };
    expect(seenIn(networked, cluster()).preprovisioningNetworkData).toEqual({ name: 'net', resourceVersion: '6' });
    expect(seenIn(host, cluster())).not.toHaveProperty('preprovisioningNetworkData');
  });

  test.each([
    ['that shows an error', { errorType: 'provisioning error' }, true],
    ['whose deployment failed', { provisioningFailCount: 1 }, true],
    ['that lacks nothing', {}, false],
  ] as const)('of a host %s holds the versions of the Secrets of its deployment: %o %s', (_, change, expected) => {
    const host = aCr({ status: { ...STATUS, ...change } });
    const data = { userData: { name: 'bmc' }, metaData: { name: 'gone' }, preprovisioningNetworkDataName: 'net' };
    const image = { url: 'oci://registry/os:1', ociAuthSecretName: 'pull' };
    const seen = seenIn({ ...host, spec: { ...host.spec, ...data, image } }, cluster());
    const versions = [
      { name: 'bmc', resourceVersion: '6' },
      { name: 'gone', resourceVersion: null },
      { name: 'net', resourceVersion: '6' },
      { name: 'pull', resourceVersion: null },
    ];
    expect(seen.dataSecrets).toEqual(expected ? versions : undefined);
    expect(hostSnapshot(seen, 'the snapshot')).toBeUndefined();
  });

  test('holds the annotations that matter, and of the large ones none', () => {
    const annotations = {
      'baremetalhost.metal3.io/paused': '',
      'reboot.metal3.io/mine': '{"mode":"hard"}',
      'reboot.metal3.ioo': 'no',
      'inspect.metal3.io': '',
      'inspect.metal3.io/hardwaredetails': '{}',
      'clusterctl.cluster.x-k8s.io/delete-for-move': '',
      'baremetalhost.metal3.io/status': '{}',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
    };
    expect(Object.keys(seenIn(aCr({ metadata: { annotations } }), cluster()).annotations)).toEqual([
      'baremetalhost.metal3.io/paused',
      'reboot.metal3.io/mine',
      'inspect.metal3.io',
      'clusterctl.cluster.x-k8s.io/delete-for-move',
    ]);
  });

  test('leaves out an annotation that is refused as its message would be, and holds one that was accepted', () => {
    const abort = { 'temper/abort': 'wrong image' };
    const seen = (annotations: object, state: 'provisioned' | 'provisioning') =>
      seenIn(aCr({ metadata: { annotations }, status: { ...STATUS, provisioning: { state, ID: '1' } } }), cluster())
        .annotations;
    expect(seen(abort, 'provisioned')).toEqual({});
    expect(seen(abort, 'provisioning')).toEqual(abort);
    const entry = { at: '2026-01-01T00:00:00Z', what: 'abort', by: '', reason: 'wrong image', open: true };
    expect(seen({ ...abort, 'temper/history': JSON.stringify([entry]) }, 'provisioned')).toEqual(abort);
    expect(seen({ 'temper/force-delete': 'node-1' }, 'provisioned')).toEqual({});
  });

  test('holds the status the host carries, less what is derived when it is written', () => {
    const status = { ...STATUS, lastUpdated: '2026-01-01T00:00:00Z', hardware: {}, conditions: [] };
    expect(seenIn(aCr({ status }), cluster())).toMatchObject({ status: STATUS, hasHardware: true });
  });

  test('holds the status that came along as an annotation while none was ever written', () => {
    const annotations = { 'baremetalhost.metal3.io/status': JSON.stringify({ ...STATUS, hardware: {} }) };
    expect(seenIn(aCr({ metadata: { annotations } }), cluster()).status).toEqual(STATUS);
    const status = { ...STATUS, poweredOn: false, lastUpdated: '2026-01-01T00:00:00Z' };
    expect(seenIn(aCr({ metadata: { annotations }, status }), cluster()).status?.poweredOn).toBe(false);
  });

  test.each(['{', '[]', '{"operationalStatus":"fine"}'])('ignores an annotation that is no status: %s', (text) => {
    const annotations = { 'baremetalhost.metal3.io/status': text };
    expect(seenIn(aCr({ metadata: { annotations } }), cluster()).status).toBeUndefined();
  });
});

describe('the essence of a snapshot', () => {
  test('does not change when only the status was written', () => {
    const status = { ...STATUS, lastUpdated: '2026-01-01T00:00:00Z' };
    const before = seenIn(aCr(), cluster());
    const after = seenIn(aCr({ metadata: { resourceVersion: '8' }, status }), cluster());
    expect(essence(after)).toEqual(essence(before));
  });

  test('changes with an architecture that was found, but not once the spec has it or while inspection goes on', () => {
    const isNews = (host: BareMetalHost): boolean => {
      const found = { ...seenIn(host, cluster()), hardwareArchitecture: 'aarch64' };
      return JSON.stringify(essence(found)) !== JSON.stringify(essence({ ...found, hardwareArchitecture: '' }));
    };
    const host = aCr();
    const status = { ...STATUS, lastUpdated: '2026-01-01T00:00:00Z' };
    expect(isNews(host)).toBe(true);
    expect(isNews({ ...host, spec: { ...host.spec, architecture: 'aarch64' } })).toBe(false);
    expect(isNews(aCr({ status: { ...status, provisioning: { state: 'inspecting', ID: '1' } } }))).toBe(false);
  });
});

const nothing = (): void => {};
const TALLY = { shown: nothing, told: nothing, looked: nothing, lookFailed: nothing, forgotten: nothing };

describe('hosts and the Machines of the Machine API', () => {
  const bindingFor = (hasMachineApi: boolean) =>
    hostBinding({ settings: DEFAULT_HOST_SETTINGS, tally: TALLY, hasMachineApi });
  const isOfMachineApi = ({ kind }: FollowedKind): boolean => kind.startsWith('Machine.');

  test('hosts follow these Machines where they are turned on, and never wait until they are listed', () => {
    const { related, relatedLater = [] } = bindingFor(true);
    expect(relatedLater.filter(isOfMachineApi)).toEqual([KINDS.openShiftMachine, KINDS.clusterMachine]);
    expect(related.filter(isOfMachineApi)).toEqual([]);
    const off = bindingFor(false);
    expect([...off.related, ...(off.relatedLater ?? [])].filter(isOfMachineApi)).toEqual([]);
  });

  test('a change of what such a Machine says about approvals queues its host', () => {
    const store = createStore();
    const consumerRef = { apiVersion: 'cluster.k8s.io/v1alpha1', kind: 'Machine', namespace: 'metal', name: 'm-1' };
    putIn(store, KINDS.host, 'node-1', { spec: { consumerRef } });
    putIn(store, KINDS.host, 'm-1');
    const machine = putIn(store, KINDS.clusterMachine, 'm-1', {
      metadata: { annotations: { 'temper/approval': 'all' } },
    });
    expect([...bindingFor(true).concerned(KINDS.clusterMachine, machine, store)]).toEqual(['metal/node-1']);
    const silent = putIn(store, KINDS.clusterMachine, 'm-1');
    expect([...bindingFor(true).concerned(KINDS.clusterMachine, silent, store)]).toEqual([]);
  });
});

test('a Secret concerns the hosts that name it, for their BMC or for their deployment', () => {
  const store = createStore();
  const secrets = { bmc: { credentialsName: 'bmc' }, userData: { name: 'user' }, metaData: { name: 'meta' } };
  putIn(store, KINDS.host, 'node-1', { spec: { ...secrets, networkData: { name: 'net' } } });
  const image = { url: 'oci://registry/os:1', ociAuthSecretName: 'pull' };
  putIn(store, KINDS.host, 'node-2', { spec: { preprovisioningNetworkDataName: 'net', image } });
  // Ironic gets a login for images of registries alone.
  putIn(store, KINDS.host, 'node-3', { spec: { image: { ...image, url: 'http://images/os' } } });
  const binding = hostBinding({ settings: DEFAULT_HOST_SETTINGS, tally: TALLY });
  const hostsOf = (name: string) => [...binding.concerned(KINDS.secret, putIn(store, KINDS.secret, name), store)];
  for (const name of ['bmc', 'user', 'meta']) expect(hostsOf(name)).toEqual(['metal/node-1']);
  expect(hostsOf('net')).toEqual(['metal/node-1', 'metal/node-2']);
  expect(hostsOf('pull')).toEqual(['metal/node-2']);
  expect(hostsOf('other')).toEqual([]);
});

test('failures are told by the reporter of all Events, and pull secrets by that of upstream’s recorder', () => {
  const { reporterOf } = hostBinding({ settings: DEFAULT_HOST_SETTINGS, tally: TALLY });
  expect(reporterOf({ reason: 'ProvisioningError' }).component).toBe('metal3-baremetal-controller');
  expect(reporterOf({ reason: 'ImageAuthParseError' }).component).toBe('baremetalhost-controller');
});
