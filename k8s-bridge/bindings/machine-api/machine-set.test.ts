import { beforeEach, describe, expect, test } from 'vitest';
import type { EntityView } from '../../../domain/entity/view.ts';
import type { MachineSetSnapshot } from '../../../domain/machine-set/snapshot.ts';
import { type FollowedKind, KINDS } from '../../../kube/kinds.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { createStore, type Entry, type Store } from '../../../kube/store.ts';
import { type ObjectParts, putIn } from '../../../test/builders/stored-objects.ts';
import { machineSetBinding } from './machine-set.ts';

const API = 'machine.openshift.io/v1beta1';
const binding = machineSetBinding({ settings: { isController: true, fastTrack: false }, defaults: {} });

let stores: Store;
beforeEach(() => {
  stores = createStore();
});

const put = (kind: FollowedKind, name: string, parts?: ObjectParts): Entry => putIn(stores, kind, name, parts);
const SCALED = { 'metal3.io/autoscale-to-hosts': '' };
const IMAGE = { url: 'http://images/a', checksum: 'x' };
const aSet = ({ metadata, spec, status = {} }: ObjectParts = {}): Entry =>
  put(KINDS.openShiftMachineSet, 'workers', {
    metadata: { ...metadata },
    spec: {
      replicas: 2,
      selector: { matchLabels: { set: 'workers' } },
      template: {
        metadata: { labels: { set: 'workers', zone: 'a' } },
        spec: { providerSpec: { value: { image: IMAGE } } },
      },
      ...spec,
    },
    status,
  });
const OWNER = { apiVersion: API, kind: 'MachineSet', name: 'workers', uid: 'workers-uid', controller: true };
const aMachine = (name: string, { metadata, ...rest }: ObjectParts = {}): Entry =>
  put(KINDS.openShiftMachine, name, {
    metadata: { ownerReferences: [OWNER], labels: { set: 'workers' }, ...metadata },
    ...rest,
  });
const aHost = (name: string, consumer?: string): Entry =>
  put(KINDS.host, name, {
    spec: consumer ? { consumerRef: { apiVersion: API, kind: 'Machine', name: consumer, namespace: 'metal' } } : {},
  });
const observe = (entry: Entry): MachineSetSnapshot =>
  binding.observe(entry, stores, { written: undefined, now: 0 }) as MachineSetSnapshot;
const concerned = (kind: FollowedKind, entry: Entry): readonly string[] => [...binding.concerned(kind, entry, stores)];

describe('the snapshot of a MachineSet', () => {
  test('has the API that is in charge of it', () => {
    expect(
      observe(aSet({ spec: { authoritativeAPI: 'MachineAPI' }, status: { authoritativeAPI: 'ClusterAPI' } })),
    ).toMatchObject({
      authority: { api: 'ClusterAPI' },
    });
    expect(observe(aSet())).not.toHaveProperty('authority');
  });

  test('has its Machines, and which of them are ready', () => {
    put(KINDS.node, 'node-a', { status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: 't' }] } });
    put(KINDS.node, 'node-b', {
      status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: 't' }] },
    });
    aMachine('b', { metadata: { labels: { set: 'workers', zone: 'a' } }, status: { nodeRef: { name: 'node-b' } } });
    aMachine('a', { status: { nodeRef: { name: 'node-a' }, phase: 'Failed' } });
    aMachine('c', {
      metadata: { deletionTimestamp: 't', annotations: { 'machine.openshift.io/delete-machine': '' } },
      status: { nodeRef: { name: 'gone' } },
    });
    aMachine('of-nobody', { metadata: { ownerReferences: [], labels: {} } });
    aMachine('of-another', { metadata: { ownerReferences: [{ ...OWNER, uid: 'other' }] } });
    aMachine('of-another-kind', {
      metadata: { ownerReferences: [{ ...OWNER, apiVersion: 'cluster.x-k8s.io/v1beta2' }] },
    });
    const common = { creationTimestamp: '2026-01-01T00:00:00Z', deleting: false, marked: false, failed: false };
    expect(observe(aSet())).toEqual({
      namespace: 'metal',
      name: 'workers',
      uid: 'workers-uid',
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      isController: true,
      replicas: 2,
      deletePolicy: 'Random',
      machines: [
        { ...common, name: 'a', uid: 'a-uid', failed: true, hasNode: true, isReady: true, isLabelled: false },
        { ...common, name: 'b', uid: 'b-uid', hasNode: true, isReady: false, isLabelled: true },
        {
          ...common,
          name: 'c',
          uid: 'c-uid',
          deleting: true,
          marked: true,
          hasNode: false,
          isReady: false,
          isLabelled: false,
        },
      ],
    });
  });

  test('has the Machines that its selector matches and nobody controls', () => {
    const free = { ownerReferences: [{ ...OWNER, controller: false }] };
    aMachine('free-b', { metadata: free });
    aMachine('free-a', { metadata: free });
    aMachine('leaving', { metadata: { ...free, deletionTimestamp: 't' } });
    aMachine('unlike', { metadata: { ...free, labels: { set: 'others' } } });
    expect(observe(aSet()).orphans).toEqual([
      { name: 'free-a', uid: 'free-a-uid' },
      { name: 'free-b', uid: 'free-b-uid' },
    ]);
  });

  test.each([
    ['the number of hosts', () => [aHost('free'), aHost('taken', 'a'), aMachine('a')], {}, { replicas: 2 }],
    [
      'not those of Machines that it does not select',
      () => [aHost('taken', 'x'), aMachine('x', { metadata: { labels: {} } })],
      {},
      { replicas: 0 },
    ],
    [
      'nothing while a Machine is missing',
      () => [aHost('taken', 'a')],
      {},
      { suspended: 'host taken has a consumer that does not exist: Machine a' },
    ],
    ['nothing with an empty selector', () => [aHost('free')], { selector: {} }, { suspended: 'its selector is empty' }],
  ])('that is scaled to hosts has %s', (_, given, spec, scale) => {
    given();
    expect(observe(aSet({ metadata: { annotations: SCALED }, spec })).scale).toEqual(scale);
    expect(observe(aSet({ spec }))).not.toHaveProperty('scale');
  });

  test.each([
    ['an empty selector', { selector: {} }],
    ['a selector that does not fit its template', { selector: { matchLabels: { set: 'others' } } }],
  ])('says that %s is invalid', (_, spec) => {
    expect(observe(aSet({ spec })).invalid).toBe('its selector is empty, or does not select its template');
  });
});

describe('a change', () => {
  test.each([
    ['of a host concerns those that are scaled to hosts', () => aHost('h'), KINDS.host, ['metal/scaled']],
    [
      'of its Machine concerns a MachineSet',
      () => aMachine('a'),
      KINDS.openShiftMachine,
      ['metal/workers', 'metal/scaled'],
    ],
    [
      'of a Machine that nobody controls concerns those that select it',
      () => aMachine('a', { metadata: { ownerReferences: [], labels: { set: 'workers' } } }),
      KINDS.openShiftMachine,
      ['metal/workers', 'metal/scaled'],
    ],
    [
      'of a Node concerns that of its Machine',
      () => {
        aMachine('a', { status: { nodeRef: { name: 'n' } } });
        return put(KINDS.node, 'n');
      },
      KINDS.node,
      ['metal/workers'],
    ],
  ] as const)('%s', (_, given, kind, keys) => {
    aSet();
    put(KINDS.openShiftMachineSet, 'scaled', { metadata: { annotations: SCALED } });
    expect(concerned(kind, given())).toEqual(keys);
  });
});

test('the status of a MachineSet keeps what others write, and is left alone where those make its Machines', async () => {
  const status = { replicas: 1, errorReason: 'x', conditions: [], other: 1 };
  const object = readObject({ metadata: { name: 'workers' }, status });
  const written = (shown: object | undefined) =>
    binding.complete?.({
      view: { shown: { status: shown } } as unknown as EntityView,
      object,
      written: undefined,
      kube: {} as never,
      stores,
    });
  expect(await written({ replicas: 2 })).toMatchObject({
    status: { replicas: 2, conditions: [], other: 1 },
    isBlank: false,
  });
  expect((await written({ replicas: 2 }))?.status).not.toHaveProperty('errorReason');
  expect(await written(undefined)).toMatchObject({ status, isBlank: true });
});
