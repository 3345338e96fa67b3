import { describe, expect, test } from 'vitest';
import { KubeError } from '../../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../../kube/kinds.ts';
import { createStore, type Entry } from '../../../kube/store.ts';
import { type ObjectParts, putIn } from '../../../test/builders/stored-objects.ts';
import { hostsInheriting, inheritApprovals } from './inherit.ts';

const NEEDED = { annotations: { 'temper/approval': 'erase' } };
const CLUSTER_LABEL = { 'cluster.x-k8s.io/cluster-name': 'test1' };

/** A host of the machine m-1 in the namespace metal, all kinds being listed. */
function aScene({ annotations = {}, isComplete = true, consumer = {}, refusing, words = '' }: SceneOptions = {}) {
  const store = createStore();
  if (isComplete) store.markComplete();
  const patches: unknown[] = [];
  const kube = {
    patch(path: string, body: unknown) {
      if (refusing !== undefined) return Promise.reject(new KubeError('PATCH', refusing, { message: words }));
      patches.push([path, body]);
      return Promise.resolve({});
    },
  };
  const consumerRef = { kind: 'Metal3Machine', namespace: 'metal', name: 'm-1', ...consumer };
  const host = putIn(store, KINDS.host, 'host-1', { metadata: { annotations }, spec: { consumerRef } });
  const inherit = (entry: Entry = host) => inheritApprovals(entry, { kube, stores: store });
  return { store, patches, inherit };
}
interface SceneOptions {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isComplete?: boolean;
  /** Fields of another consumer than the Metal3Machine. */
  readonly consumer?: object;
  readonly refusing?: number;
  /** The words of the API server's answer. */
  readonly words?: string;
}
const written = (...said: readonly object[]) => [
  '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts/host-1',
  {
    metadata: {
      resourceVersion: '7',
      annotations: { 'temper/approval-inherited': said.length === 0 ? null : JSON.stringify(said) },
    },
  },
];
const saidBefore = (of: string) => ({ 'temper/approval-inherited': JSON.stringify([{ of, needed: 'erase' }]) });

describe('what others say about approvals', () => {
  test('is written to the host: of its Metal3Machine, its Cluster and its Namespace', async () => {
    const { store, patches, inherit } = aScene();
    putIn(store, KINDS.metal3Machine, 'm-1', { metadata: { ...NEEDED, labels: CLUSTER_LABEL } });
    putIn(store, KINDS.cluster, 'test1', { metadata: { annotations: { 'temper/approval-window': '0 3 * * * 2h' } } });
    putIn(store, KINDS.namespace, 'metal', { metadata: NEEDED });
    expect(await inherit()).toBe('written');
    expect(patches).toEqual([
      written(
        { of: 'Metal3Machine metal/m-1', needed: 'erase' },
        { of: 'Cluster metal/test1', window: '0 3 * * * 2h' },
        { of: 'Namespace metal', needed: 'erase' },
      ),
    ]);
  });

  test.each([KINDS.openShiftMachine, KINDS.clusterMachine])('is written to the host of a $kind too', async (kind) => {
    const { store, patches, inherit } = aScene({ consumer: { kind: 'Machine', apiVersion: kind.apiVersion } });
    const annotations = { 'temper/approval': 'erase', 'temper/approval-budget': '2' };
    putIn(store, kind, 'm-1', { metadata: { annotations } });
    // Others of the same name, which are not the consumer.
    for (const other of [KINDS.metal3Machine, KINDS.machine]) putIn(store, other, 'm-1', { metadata: NEEDED });
    expect(await inherit()).toBe('written');
    expect(patches).toEqual([written({ of: `${kind.kind} metal/m-1`, needed: 'erase', budget: '2' })]);
  });

  test('is not taken from a Machine of Cluster API, which has no hosts', async () => {
    const { store, inherit } = aScene({ consumer: { kind: 'Machine', apiVersion: KINDS.machine.apiVersion } });
    for (const kind of [KINDS.openShiftMachine, KINDS.clusterMachine, KINDS.machine])
      putIn(store, kind, 'm-1', { metadata: NEEDED });
    expect(await inherit()).toBeUndefined();
  });

  test.each([
    ['machine', { name: 'm-1' }, KINDS.metal3Machine],
    [
      'machine of the Machine API',
      { kind: 'Machine', apiVersion: 'machine.openshift.io/v1beta1' },
      KINDS.openShiftMachine,
    ],
    ['Cluster', { kind: 'Cluster', apiVersion: 'cluster.x-k8s.io/v1beta2', name: 'test1' }, KINDS.cluster],
  ])('is not taken from a %s of another namespace, nor from its Cluster', async (_, consumer, kind) => {
    const { store, patches, inherit } = aScene({ consumer: { ...consumer, namespace: 'neighbour' } });
    for (const namespace of ['neighbour', 'metal']) {
      const metadata = { ...NEEDED, namespace, labels: CLUSTER_LABEL };
      putIn(store, kind, 'name' in consumer ? consumer.name : 'm-1', { metadata, namespace });
      putIn(store, KINDS.cluster, 'test1', { metadata, namespace });
    }
    expect(await inherit()).toBeUndefined();
    expect(patches).toEqual([]);
  });

  test('is taken from the machines that name a host without a consumer: a recreated host has none', async () => {
    const { store, patches, inherit } = aScene();
    const named = { annotations: { ...NEEDED.annotations, 'metal3.io/BareMetalHost': 'metal/host-1' } };
    putIn(store, KINDS.metal3Machine, 'm-1', { metadata: { ...named, labels: CLUSTER_LABEL } });
    putIn(store, KINDS.metal3Machine, 'other', { metadata: named, namespace: 'neighbour' });
    putIn(store, KINDS.openShiftMachine, 'o-1', {
      metadata: { ...NEEDED, annotations: { ...NEEDED.annotations, 'metal3.io/BareMetalHost': 'metal/host-1' } },
    });
    putIn(store, KINDS.cluster, 'test1', { metadata: { annotations: { 'temper/approval-budget': '2' } } });
    putIn(store, KINDS.namespace, 'metal', { metadata: NEEDED });
    const recreated = putIn(store, KINDS.host, 'host-1', { metadata: { uid: 'another' }, spec: {} });
    expect(await inherit(recreated)).toBe('written');
    expect(patches).toEqual([
      written(
        { of: 'Metal3Machine metal/m-1', needed: 'erase' },
        { of: 'Machine.machine.openshift.io metal/o-1', needed: 'erase' },
        { of: 'Cluster metal/test1', budget: '2' },
        { of: 'Namespace metal', needed: 'erase' },
      ),
    ]);
  });

  test('is removed when nobody says anything any more, and not touched when it is so already', async () => {
    const gone = aScene({ annotations: saidBefore('Namespace metal') });
    putIn(gone.store, KINDS.namespace, 'metal');
    expect(await gone.inherit()).toBe('written');
    expect(gone.patches).toEqual([written()]);

    const same = aScene({ annotations: saidBefore('Namespace metal') });
    putIn(same.store, KINDS.namespace, 'metal', { metadata: NEEDED });
    expect(await same.inherit()).toBeUndefined();
    expect(same.patches).toEqual([]);
  });

  test('costs hosts without any no request', async () => {
    const { patches, inherit } = aScene();
    expect(await inherit()).toBeUndefined();
    expect(patches).toEqual([]);
  });

  test('stands while the object that said it is not listed yet', async () => {
    const { patches, inherit } = aScene({ annotations: saidBefore('Metal3Machine metal/m-1'), isComplete: false });
    expect(await inherit()).toBeUndefined();
    expect(patches).toEqual([]);

    const ofOpenShift = aScene({
      annotations: saidBefore('Machine.machine.openshift.io metal/m-1'),
      consumer: { kind: 'Machine', apiVersion: 'machine.openshift.io/v1beta1' },
      isComplete: false,
    });
    expect(await ofOpenShift.inherit()).toBeUndefined();
    expect(ofOpenShift.patches).toEqual([]);
  });

  test('is removed when the Machine API is not followed any more', async () => {
    const { patches, inherit } = aScene({
      annotations: saidBefore('Machine.machine.openshift.io metal/m-1'),
      consumer: { kind: 'Machine', apiVersion: 'machine.openshift.io/v1beta1' },
    });
    expect(await inherit()).toBe('written');
    expect(patches).toEqual([written()]);
  });

  test('keeps the workflow from learning of the host until it is written', async () => {
    const conflict = aScene({ refusing: 409 });
    putIn(conflict.store, KINDS.namespace, 'metal', { metadata: NEEDED });
    expect(await conflict.inherit()).toBe('written');
    const lacking = aScene({ refusing: 403, words: 'User "temper" cannot patch resource "baremetalhosts"' });
    putIn(lacking.store, KINDS.namespace, 'metal', { metadata: NEEDED });
    await expect(lacking.inherit()).rejects.toThrow('403');
  });

  test.each([403, 422])('goes into the snapshot where a policy forbids to write it, with %i', async (refusing) => {
    const { store, inherit } = aScene({ refusing, words: 'annotations are our business' });
    putIn(store, KINDS.namespace, 'metal', { metadata: NEEDED });
    expect(await inherit()).toEqual({
      annotations: { 'temper/approval-inherited': JSON.stringify([{ of: 'Namespace metal', needed: 'erase' }]) },
      refusal: 'patching the annotation temper/approval-inherited: annotations are our business',
    });
  });

  test('tells the workflow that nobody says anything any more, where a policy forbids to remove it', async () => {
    const said = { of: 'Namespace metal', window: '0 3 * * * 2h', budget: '2' };
    const annotations = { 'temper/approval-inherited': JSON.stringify([said]) };
    const { store, inherit } = aScene({ refusing: 403, annotations, words: 'annotations are our business' });
    putIn(store, KINDS.namespace, 'metal');
    expect(await inherit()).toEqual({
      annotations: { 'temper/approval-inherited': null },
      refusal: 'patching the annotation temper/approval-inherited: annotations are our business',
    });
  });

  test('keeps the approvals for which the host asks where a policy forbids to remove them', async () => {
    const { inherit } = aScene({ refusing: 403, annotations: saidBefore('Namespace metal') });
    expect(await inherit()).toMatchObject({ annotations: saidBefore('Namespace metal') });
  });

  test('is not written to a paused host', async () => {
    const { store, patches, inherit } = aScene({ annotations: { 'baremetalhost.metal3.io/paused': '' } });
    putIn(store, KINDS.namespace, 'metal', { metadata: NEEDED });
    expect(await inherit()).toBeUndefined();
    expect(patches).toEqual([]);
  });
});

test('a change of who says something concerns the hosts that may inherit it, and no host otherwise', () => {
  const { store } = aScene();
  const concerned = (kind: (typeof KINDS)['namespace' | 'cluster' | 'metal3Machine'], name: string, metadata = {}) => [
    ...hostsInheriting(kind, putIn(store, kind, name, { metadata }), store),
  ];
  expect(concerned(KINDS.namespace, 'metal', NEEDED)).toEqual(['metal/host-1']);
  expect(concerned(KINDS.cluster, 'test1', NEEDED)).toEqual(['metal/host-1']);
  expect(concerned(KINDS.metal3Machine, 'm-1', NEEDED)).toEqual(['metal/host-1']);
  expect(concerned(KINDS.metal3Machine, 'm-2', NEEDED)).toEqual([]);
  expect(concerned(KINDS.namespace, 'other', NEEDED)).toEqual([]);
  expect(concerned(KINDS.namespace, 'metal')).toEqual([]);
});

test('a change of a machine concerns the host that it names, and the hosts of its namespace that name it', () => {
  const { store } = aScene({ consumer: { namespace: 'neighbour' } });
  const annotations = { ...NEEDED.annotations, 'metal3.io/BareMetalHost': 'metal/host-1' };
  const concerned = (parts: ObjectParts) => [
    ...hostsInheriting(KINDS.metal3Machine, putIn(store, KINDS.metal3Machine, 'm-1', parts), store),
  ];
  expect(concerned({ metadata: NEEDED, namespace: 'neighbour' })).toEqual([]);
  expect(concerned({ metadata: { annotations }, namespace: 'neighbour' })).toEqual([]);
  expect(concerned({ metadata: { annotations } })).toEqual(['metal/host-1']);
});

test('a change of a Machine of the Machine API concerns the hosts whose consumer it is', () => {
  const { store } = aScene({ consumer: { kind: 'Machine', apiVersion: 'machine.openshift.io/v1beta1' } });
  const concerned = (kind: FollowedKind, name: string) => [
    ...hostsInheriting(kind, putIn(store, kind, name, { metadata: NEEDED }), store),
  ];
  expect(concerned(KINDS.openShiftMachine, 'm-1')).toEqual(['metal/host-1']);
  expect(concerned(KINDS.openShiftMachine, 'm-2')).toEqual([]);
  expect(concerned(KINDS.clusterMachine, 'm-1')).toEqual([]);
  expect(concerned(KINDS.metal3Machine, 'm-1')).toEqual([]);
});
