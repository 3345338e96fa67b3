import { beforeEach, describe, expect, test } from 'vitest';
import { machineSnapshot } from '../../domain/machine/memory/snapshot-shape.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { createStore, type Entry, type Store } from '../../kube/store.ts';
import { clusterBinding } from './cluster.ts';
import { labelOrders, machineBinding } from './machine.ts';

const NEWS = { bridge: 'b', count: 3 };
const machines = machineBinding({
  settings: { providerIdFormat: 'names', fastTrack: false },
  newsOf: () => NEWS,
  driftOf: () => undefined,
});

let stores: Store;
beforeEach(() => {
  stores = createStore();
});

/** Nothing was written yet. */
const KNOWN = { written: undefined, now: 0 };

interface Change {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}
const identity = (name: string) => ({ namespace: 'metal', name, uid: `${name}-uid`, resourceVersion: '7' });
function put(kind: FollowedKind, name: string, { metadata, ...rest }: Change = {}): Entry {
  const { apiVersion, kind: word } = kind;
  const made = { creationTimestamp: '2026-01-01T00:00:00Z', generation: 2 };
  const object = { apiVersion, kind: word, metadata: { ...identity(name), ...made, ...metadata }, ...rest };
  const entry = { ...identity(name), object };
  stores.put(kind, entry);
  return entry;
}
const putHost = (name: string, change: Change = {}): Entry => put(KINDS.host, name, change);
const owner = (kind: string, name: string, apiVersion = 'cluster.x-k8s.io/v1beta2') => ({
  kind,
  name,
  apiVersion,
  uid: 'u',
});
const IN_CLUSTER = { 'cluster.x-k8s.io/cluster-name': 'test1' };
const CONSUMER = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'Metal3Machine',
  name: 'm1',
  namespace: 'metal',
};
const OWNED_BY_M1 = owner('Metal3Machine', 'm1', CONSUMER.apiVersion);
const ready = (type: string) => ({
  deprecated: { v1beta1: { conditions: [{ type, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] } },
});
/** Everything that a machine may depend on. */
function all(): Entry {
  put(KINDS.cluster, 'test1', {
    spec: { paused: true, infrastructureRef: { kind: 'Metal3Cluster', name: 'm3c' } },
    status: ready('InfrastructureReady'),
  });
  put(KINDS.metal3Cluster, 'm3c', {
    metadata: {
      ownerReferences: [owner('Cluster', 'test1')],
      annotations: { 'metal3.io/metal3-label-sync-prefixes': 'a.b', 'cluster.x-k8s.io/paused': '' },
    },
    spec: { cloudProviderEnabled: true },
  });
  put(KINDS.machine, 'machine-1', {
    metadata: { labels: IN_CLUSTER, ownerReferences: [owner('MachineSet', 'set-1')] },
    spec: {
      clusterName: 'test1',
      failureDomain: 'west',
      bootstrap: { configRef: { kind: 'KubeadmConfig', name: 'boot' }, dataSecretName: 'boot-secret' },
      infrastructureRef: { kind: 'Metal3Machine', name: 'm1' },
    },
    status: { nodeRef: { name: 'node-1' }, ...ready('BootstrapReady') },
  });
  put(KINDS.dataClaim, 'm1', {
    metadata: { finalizers: ['metal3machine.infrastructure.cluster.x-k8s.io'] },
    status: { renderedData: { name: 'tpl-0' } },
  });
  put(KINDS.data, 'tpl-0', { spec: { metaData: { name: 'meta' } }, status: { ready: true } });
  put(KINDS.metal3MachineTemplate, 'made-from', {
    spec: { template: { spec: { automatedCleaningMode: 'disabled' } } },
  });
  putHost('host-1', { spec: { consumerRef: CONSUMER }, status: { provisioning: { state: 'provisioned' } } });
  return put(KINDS.metal3Machine, 'm1', {
    metadata: {
      labels: IN_CLUSTER,
      ownerReferences: [owner('Machine', 'machine-1')],
      finalizers: ['metal3machine.infrastructure.cluster.x-k8s.io'],
      annotations: {
        'metal3.io/BareMetalHost': 'metal/host-1',
        'cluster.x-k8s.io/cloned-from-name': 'made-from',
        'cluster.x-k8s.io/cloned-from-groupkind': 'Metal3MachineTemplate.infrastructure.cluster.x-k8s.io',
      },
    },
    spec: { image: { url: 'http://a' } },
    status: {
      initialization: { provisioned: true },
      conditions: [
        {
          type: 'Paused',
          status: 'False',
          reason: 'NotPaused',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  });
}

const OF_M1 = { metadata: { ownerReferences: [owner('Metal3DataClaim', 'm1'), OWNED_BY_M1] } };

/** The machine's data needs an address from a pool that allocates none. */
function awaitingAddress(): { readonly spec: object; readonly claim: Entry } {
  const pool = { name: 'nowhere', kind: 'InClusterIPPool', apiGroup: 'ipam.cluster.x-k8s.io' };
  put(KINDS.dataTemplate, 'tpl', {
    spec: { networkData: { networks: { ipv4: [{ id: 'lan', link: 'nic0', fromPoolRef: pool }] } } },
  });
  put(KINDS.dataClaim, 'm1', {
    metadata: { ownerReferences: [OWNED_BY_M1] },
    status: { renderedData: { name: 'tpl-0', namespace: 'metal' } },
  });
  const entry = stores.get(KINDS.metal3Machine, 'metal/m1')?.object as { spec: object };
  Object.assign(entry.spec, { dataTemplate: { name: 'tpl', namespace: 'metal' } });
  const spec = { index: 0, template: { name: 'tpl', namespace: 'metal' }, claim: { name: 'm1', namespace: 'metal' } };
  put(KINDS.data, 'tpl-0', { ...OF_M1, spec, status: { ready: false } });
  const claim = put(KINDS.ipAddressClaim, 'tpl-0-nowhere', {
    metadata: { ownerReferences: [owner('Metal3Data', 'tpl-0', CONSUMER.apiVersion)] },
  });
  return { spec, claim };
}

describe('the snapshot of a Metal3Machine', () => {
  test('has the URLs of its image without the secrets in them', () => {
    const image = { url: 'https://me:canary@images/a', checksum: 'https://images/SUMS?sig=canary' };
    const seen = machines.observe(put(KINDS.metal3Machine, 'm2', { spec: { image } }), stores, KNOWN);
    expect(JSON.stringify(seen)).not.toContain('canary');
    expect(seen).toMatchObject({
      spec: { image: { url: expect.stringMatching(/^https:\/\/images\/a\?hidden=/) as unknown } },
    });
  });

  test('has a rule of its hostSelector without values, as upstream stores an empty list of v1beta1', () => {
    const hostSelector = { matchExpressions: [{ key: 'rack', operator: 'Exists' }] };
    const seen = machines.observe(put(KINDS.metal3Machine, 'm2', { spec: { hostSelector } }), stores, KNOWN);
    expect(seen).toMatchObject({ spec: { hostSelector } });
    expect(machineSnapshot(seen, 'the snapshot')).toBeUndefined();
  });

  test('with a providerID that is longer than v1beta2 allows says so, as one of v1beta1 can be', () => {
    const spec = { providerID: 'x'.repeat(70_000) };
    expect(machines.observe(put(KINDS.metal3Machine, 'm2', { spec }), stores, KNOWN)).toEqual({
      problems: [expect.stringContaining('spec.providerID') as unknown],
    });
  });

  test('is accepted by its run, whatever the length of an annotation', () => {
    const long = 'x'.repeat(70_000);
    const annotations = { 'temper/retry': long, 'metal3.io/BareMetalHost': `metal/${long}` };
    const seen = machines.observe(put(KINDS.metal3Machine, 'm2', { metadata: { annotations } }), stores, KNOWN);
    expect(machineSnapshot(seen, 'the snapshot')).toBeUndefined();
  });

  test('has all that its decisions depend on', () => {
    expect(machines.observe(all(), stores, KNOWN)).toMatchObject({
      namespace: 'metal',
      name: 'm1',
      uid: 'm1-uid',
      generation: 2,
      hasFinalizer: true,
      paused: false,
      hostAnnotation: 'metal/host-1',
      owner: {
        name: 'machine-1',
        clusterName: 'test1',
        failureDomain: 'west',
        configRef: 'boot',
        dataSecretName: 'boot-secret',
        bootstrapReady: true,
        nodeRef: 'node-1',
        machineSet: { name: 'set-1', uid: 'u' },
      },
      cluster: { name: 'test1', paused: true, deleting: false, infrastructureReady: true },
      metal3Cluster: { name: 'm3c', cloudProvider: true, paused: true, labelSyncPrefixes: 'a.b' },
      host: { name: 'host-1', state: 'provisioned', consumer: CONSUMER },
      claim: { hasFinalizer: true, deleting: false, renderedData: { name: 'tpl-0', namespace: 'metal' } },
      data: { name: 'tpl-0', ready: true, metaData: { name: 'meta' } },
      template: { paused: false, automatedCleaningMode: 'disabled' },
      status: {
        provisioned: true,
        conditions: [{ type: 'Paused', status: 'False', reason: 'NotPaused', message: '' }],
      },
    });
    expect(machines.observe(all(), stores, KNOWN)).not.toHaveProperty('hostNews');
  });
  test('has little of a machine that stands alone, but news of hosts', () => {
    expect(machines.observe(put(KINDS.metal3Machine, 'm1', { spec: {} }), stores, KNOWN)).toEqual({
      ...identity('m1'),
      generation: 2,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: {},
      paused: false,
      hasFinalizer: false,
      spec: {},
      settings: { providerIdFormat: 'names', fastTrack: false },
      hostNews: NEWS,
    });
  });
  test('takes what clusterctl has moved to another cluster for paused', () => {
    const annotations = { 'clusterctl.cluster.x-k8s.io/delete-for-move': '' };
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const moved = put(KINDS.metal3Machine, 'm1', { metadata: { annotations, deletionTimestamp } });
    expect(machines.observe(moved, stores, KNOWN)).toMatchObject({ paused: true });
    const arrived = put(KINDS.metal3Machine, 'm1', { metadata: { annotations } });
    expect(machines.observe(arrived, stores, KNOWN)).toMatchObject({ paused: false });
  });
  test('takes a Metal3Cluster and a template that were moved for paused', () => {
    const machine = all();
    const metadata = {
      annotations: { 'clusterctl.cluster.x-k8s.io/delete-for-move': '' },
      deletionTimestamp: '2026-01-01T00:00:00Z',
    };
    put(KINDS.metal3Cluster, 'm3c', { metadata: { ...metadata, ownerReferences: [owner('Cluster', 'test1')] } });
    put(KINDS.metal3MachineTemplate, 'made-from', { metadata, spec: { template: { spec: {} } } });
    expect(machines.observe(machine, stores, KNOWN)).toMatchObject({
      metal3Cluster: { paused: true },
      template: { paused: true },
    });
  });
  test('says what its data waits for as long as that is not rendered and has no problem of its own', () => {
    const machine = all();
    const { spec } = awaitingAddress();
    expect(machines.observe(machine, stores, KNOWN)).toMatchObject({
      data: { ready: false, waitingFor: 'waiting for an address from InClusterIPPool nowhere' },
    });
    for (const status of [{ ready: true }, { ready: false, errorMessage: 'refused' }]) {
      put(KINDS.data, 'tpl-0', { ...OF_M1, spec, status });
      expect(machines.observe(machine, stores, KNOWN), JSON.stringify(status)).not.toHaveProperty('data.waitingFor');
    }
  });
  test('says that an owner is named and not there, or of another group', () => {
    const lost = put(KINDS.metal3Machine, 'm1', { metadata: { ownerReferences: [owner('Machine', 'x')] } });
    expect(machines.observe(lost, stores, KNOWN)).toMatchObject({ owner: null });
    const foreign = put(KINDS.metal3Machine, 'm1', {
      metadata: { ownerReferences: [owner('Machine', 'x', 'machine.openshift.io/v1')] },
    });
    expect(machines.observe(foreign, stores, KNOWN)).not.toHaveProperty('owner');
  });
  test('has the control plane of a control plane machine', () => {
    put(KINDS.machine, 'machine-1', {
      metadata: {
        labels: { 'cluster.x-k8s.io/control-plane': '' },
        ownerReferences: [owner('KubeadmControlPlane', 'kcp', 'controlplane.cluster.x-k8s.io/v1beta2')],
      },
    });
    const entry = put(KINDS.metal3Machine, 'm1', { metadata: { ownerReferences: [owner('Machine', 'machine-1')] } });
    expect(machines.observe(entry, stores, KNOWN)).toMatchObject({
      owner: {
        bootstrapReady: false,
        controlPlane: { kind: 'KubeadmControlPlane', name: 'kcp', apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2' },
      },
    });
  });
  test('has the host that names the machine when its annotation was lost', () => {
    putHost('host-2');
    putHost('host-1', { spec: { consumerRef: CONSUMER } });
    const entry = put(KINDS.metal3Machine, 'm1');
    expect(machines.observe(entry, stores, KNOWN)).toMatchObject({ host: { name: 'host-1' } });
  });
  test('of one that can not be read says why', () => {
    const entry = put(KINDS.metal3Machine, 'm1', { spec: { image: 7 } });
    expect(machines.observe(entry, stores, KNOWN)).toEqual({
      problems: [expect.stringContaining('spec.image') as unknown],
    });
  });
  test('tells nothing new when only versions or the status of the machine differ', () => {
    const seen = machines.observe(all(), stores, KNOWN) as never;
    const again = { ...(seen as object), resourceVersion: '99', status: undefined } as never;
    expect(machines.essence(again)).toEqual(machines.essence(seen));
    expect(machines.essence({ ...(seen as object), hostNews: NEWS } as never)).not.toEqual(machines.essence(seen));
  });
  test('tells each version of a host that has lost its consumer, because its machine may have got it back in between', () => {
    const entry = put(KINDS.metal3Machine, 'm1', {
      metadata: { annotations: { 'metal3.io/BareMetalHost': 'metal/host-1' } },
    });
    const seen = (resourceVersion: string, spec: object): unknown => {
      putHost('host-1', { metadata: { resourceVersion }, spec });
      return machines.essence(machines.observe(entry, stores, KNOWN) as never);
    };
    expect(seen('7', {})).not.toEqual(seen('9', {}));
    expect(seen('7', { consumerRef: CONSUMER })).toEqual(seen('9', { consumerRef: CONSUMER }));
  });
});

describe('a Metal3Machine is looked at again', () => {
  const concerned = (kind: FollowedKind, entry: Entry): string[] => [
    ...new Set(machines.concerned(kind, entry, stores)),
  ];
  test('with each object that it looks at', () => {
    all();
    put(KINDS.metal3Machine, 'm2', { metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'other' } } });
    const of = (kind: FollowedKind, name: string): Entry => stores.get(kind, `metal/${name}`) as Entry;
    expect(concerned(KINDS.machine, of(KINDS.machine, 'machine-1'))).toEqual(['metal/m1']);
    expect(concerned(KINDS.cluster, of(KINDS.cluster, 'test1'))).toEqual(['metal/m1']);
    expect(concerned(KINDS.metal3Cluster, of(KINDS.metal3Cluster, 'm3c'))).toEqual(['metal/m1']);
    expect(concerned(KINDS.dataClaim, of(KINDS.dataClaim, 'm1'))).toEqual(['metal/m1']);
    const data = put(KINDS.data, 'tpl-0', {
      metadata: { ownerReferences: [owner('Metal3DataClaim', 'm1'), owner('Metal3Machine', 'm1')] },
    });
    expect(concerned(KINDS.data, data)).toEqual(['metal/m1']);
    expect(concerned(KINDS.metal3MachineTemplate, of(KINDS.metal3MachineTemplate, 'made-from'))).toEqual(['metal/m1']);
  });
  test('with each claim for an address that its data waits for', () => {
    all();
    const { claim } = awaitingAddress();
    expect(concerned(KINDS.ipAddressClaim, claim)).toEqual(['metal/m1']);
    const { metadata } = claim.object as { metadata: object };
    expect(concerned(KINDS.ipClaim, put(KINDS.ipClaim, 'tpl-0-lan', { metadata }))).toEqual(['metal/m1']);
    expect(concerned(KINDS.ipClaim, put(KINDS.ipClaim, 'of-nobody'))).toEqual([]);
  });
  test('with its host, by the consumer of that or by its own annotation', () => {
    all();
    expect(concerned(KINDS.host, putHost('host-1'))).toEqual(['metal/m1']);
    expect(concerned(KINDS.host, putHost('host-9', { spec: { consumerRef: { ...CONSUMER, name: 'm9' } } }))).toEqual([
      'metal/m9',
    ]);
    expect(concerned(KINDS.host, putHost('host-8'))).toEqual([]);
  });
  test('with nothing that has another infrastructure or no owner', () => {
    expect(
      concerned(KINDS.machine, put(KINDS.machine, 'x', { spec: { infrastructureRef: { kind: 'Other', name: 'm1' } } })),
    ).toEqual([]);
    expect(concerned(KINDS.metal3Cluster, put(KINDS.metal3Cluster, 'x'))).toEqual([]);
  });
});

describe('the labels that Nodes are to have', () => {
  const prefixes = { 'metal3.io/metal3-label-sync-prefixes': 'a.b' };
  const copied = (annotations: object = prefixes): void => {
    all();
    put(KINDS.metal3Cluster, 'm3c', { metadata: { ownerReferences: [owner('Cluster', 'test1')], annotations } });
    putHost('host-1', { metadata: { labels: { 'a.b/row': '7', 'c.d/row': '8' } }, spec: { consumerRef: CONSUMER } });
  };

  test('are those of their hosts, for machines of clusters that have them copied', () => {
    copied();
    const cluster = { namespace: 'metal', name: 'test1' };
    expect([...labelOrders(stores.values(KINDS.metal3Machine), stores)]).toEqual([
      ['metal/m1', { cluster, node: 'node-1', prefixes: ['a.b'], labels: { 'a.b/row': '7' } }],
    ]);
    copied({ 'metal3.io/metal3-label-sync-prefixes': 'Not a prefix' });
    expect([...labelOrders(stores.values(KINDS.metal3Machine), stores)]).toEqual([]);
  });
  test.each([
    ['being deleted', { deletionTimestamp: '2026-01-02T00:00:00Z' }],
    ['paused', { annotations: { 'cluster.x-k8s.io/paused': '' } }],
  ])('are not kept up to date while the machine is %s', (_, metadata) => {
    copied();
    put(KINDS.metal3Machine, 'm1', { metadata: { ownerReferences: [owner('Machine', 'machine-1')], ...metadata } });
    expect([...labelOrders(stores.values(KINDS.metal3Machine), stores)]).toEqual([]);
  });
});

describe('the snapshot of a Metal3Cluster', () => {
  test('has its Cluster, and counts the Machines of that once it is deleted', () => {
    all();
    const change = { metadata: { ownerReferences: [owner('Cluster', 'test1')] }, spec: {} };
    const entry = put(KINDS.metal3Cluster, 'm3c', change);
    expect(clusterBinding.observe(entry, stores, KNOWN)).toMatchObject({
      owner: { name: 'test1', paused: true },
      machines: 0,
    });
    const metadata = { ...change.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' };
    expect(clusterBinding.observe(put(KINDS.metal3Cluster, 'm3c', { metadata }), stores, KNOWN)).toMatchObject({
      machines: 1,
    });
  });
  test('says that it has no owner, one that is not there, or somebody else to look after it', () => {
    expect(clusterBinding.observe(put(KINDS.metal3Cluster, 'm3c'), stores, KNOWN)).not.toHaveProperty('owner');
    const metadata = { ownerReferences: [owner('Cluster', 'x')], annotations: { 'cluster.x-k8s.io/managed-by': '' } };
    const lost = put(KINDS.metal3Cluster, 'm3c', { metadata });
    expect(clusterBinding.observe(lost, stores, KNOWN)).toMatchObject({ missingOwner: 'x', managedElsewhere: true });
  });
  test("is built again for a change of its Cluster and of each of the Cluster's Machines", () => {
    all();
    const concerned = (kind: FollowedKind, entry: Entry): string[] => [
      ...clusterBinding.concerned(kind, entry, stores),
    ];
    expect(concerned(KINDS.cluster, stores.get(KINDS.cluster, 'metal/test1') as Entry)).toEqual(['metal/m3c']);
    expect(concerned(KINDS.machine, stores.get(KINDS.machine, 'metal/machine-1') as Entry)).toEqual(['metal/m3c']);
    expect([...clusterBinding.concerned(KINDS.host, putHost('host-1'), stores)]).toEqual([]);
  });
});
