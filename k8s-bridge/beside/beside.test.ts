import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { CLUSTER_ANNOTATIONS } from '../../domain/cluster-api/names.ts';
import { OPERATORS } from '../../domain/other-operators/operators.ts';
import { FRESH_MS } from '../../domain/other-operators/running.ts';
import type { KubeError } from '../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { hostPath, leaseCollection } from '../../kube/paths.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { type BesideOthers, createBesideOthers } from './beside.ts';
import { leavingAlone } from './leaving-alone.ts';

const WORDS = 'Temper leaves the object alone: baremetal-operator runs, too, in namespace metal';
let now: number;
let store: Store;
let beside: BesideOthers;
/** The Leases in the API server; undefined: it refuses to list them. */
let leases: object[] | undefined;
let left: Map<string, number>;

beforeEach(() => {
  now = Date.parse('2026-11-29T12:00:00Z');
  leases = [];
  left = new Map();
  store = createStore();
  beside = lookingAt([]);
});

/** For a bridge that watches these namespaces; none: all. */
const lookingAt = (namespaces: readonly string[]): BesideOthers =>
  createBesideOthers({
    kube: {
      request: async ({ path, query }) => {
        const listed = leases?.filter((each) => {
          const { namespace, name } = readMetadata(each);
          const isIn = path === leaseCollection(undefined) || path === leaseCollection(namespace);
          return isIn && query?.['fieldSelector'] === `metadata.name=${name}`;
        });
        if (listed === undefined) throw new Error('Leases are forbidden');
        return { metadata: {}, items: listed };
      },
    },
    store,
    operators: OPERATORS,
    namespaces,
    log: pino({ level: 'silent' }),
    record: ({ labels, value = 1 }) => void left.set(Object.values(labels).join(), value),
    now: () => now,
  });

const aLease = (namespace: string, more: object = {}): object => ({
  metadata: { namespace, name: 'baremetal-operator' },
  spec: { holderIdentity: 'pod_1', leaseDurationSeconds: 15, renewTime: new Date(now).toISOString(), ...more },
});
const wroteAt = (at: number, manager = 'baremetal-operator') => ({
  managedFields: [{ manager, subresource: 'status', time: new Date(at).toISOString() }],
});

interface Change {
  readonly namespace?: string;
  readonly metadata?: object;
}
/** The watch has received it; the result stores it. */
function received(kind: FollowedKind, name: string, { namespace = 'metal', metadata = {} }: Change = {}): () => void {
  const { managedFields: _, ...kept } = { managedFields: [], ...metadata };
  const identity = { namespace, name, uid: name, resourceVersion: '1' };
  const entry = { ...identity, object: { metadata: { ...identity, ...kept } } };
  beside.received(kind, entry, { metadata: { ...identity, ...metadata } });
  return () => store.put(kind, beside.stored(kind, entry));
}
/** As the watch delivers a change. */
const seen = (kind: FollowedKind, name: string, change: Change = {}): void => received(kind, name, change)();
const pauseOf = (kind: FollowedKind, name: string, key: string, namespace = 'metal'): string | undefined => {
  const object = store.get(kind, `${namespace}/${name}`)?.object;
  return readMetadata(object).annotations[key];
};
const hostPause = (name = 'host-1', namespace?: string): string | undefined =>
  pauseOf(KINDS.host, name, ANNOTATIONS.paused, namespace);

describe('beside an operator that runs', () => {
  test('all hosts are paused in the cache when its Lease is elsewhere', async () => {
    seen(KINDS.host, 'host-1');
    seen(KINDS.metal3Machine, 'm-1');
    leases = [aLease('baremetal-operator-system')];
    await beside.look();
    expect(hostPause()).toBe('Temper leaves the object alone: baremetal-operator runs, too');
    expect(pauseOf(KINDS.metal3Machine, 'm-1', CLUSTER_ANNOTATIONS.paused)).toBeUndefined();
    expect(beside.warnings).toEqual([
      expect.stringContaining('(pod_1 holds the Lease baremetal-operator-system/baremetal-operator)'),
    ]);
    expect(left.get('baremetal-operator')).toBe(1);
    // Also one that comes later.
    seen(KINDS.host, 'host-2');
    expect(hostPause('host-2')).toBeDefined();
  });

  test('a Lease among hosts counts for these alone', async () => {
    seen(KINDS.host, 'host-1');
    seen(KINDS.host, 'host-2', { namespace: 'other' });
    leases = [aLease('metal')];
    await beside.look();
    expect([hostPause(), hostPause('host-2', 'other')]).toEqual([WORDS, undefined]);
    expect(beside.warnings).toEqual([]);
  });

  test('a status that it has written counts for the namespace, also for hosts that were seen before', async () => {
    await beside.look();
    seen(KINDS.host, 'host-1');
    seen(KINDS.host, 'host-2', { metadata: wroteAt(now - 1_000) });
    seen(KINDS.host, 'host-3', { namespace: 'other' });
    expect([hostPause(), hostPause('host-2'), hostPause('host-3', 'other')]).toEqual([WORDS, WORDS, undefined]);
  });

  test.each(['the first list', 'a later list'])('a status in %s counts for all objects of the list', async (which) => {
    if (which === 'a later list') await beside.look();
    const list = ['host-1', 'host-2', 'host-3'].map((name) =>
      received(KINDS.host, name, name === 'host-2' ? { metadata: wroteAt(now - 1_000) } : {}),
    );
    for (const storing of list) storing();
    if (which === 'the first list') await beside.look();
    expect(['host-1', 'host-2', 'host-3'].map((name) => hostPause(name))).toEqual([WORDS, WORDS, WORDS]);
  });

  test('machines are paused by the annotation of Cluster API', async () => {
    await beside.look();
    seen(KINDS.metal3Machine, 'm-1', { metadata: wroteAt(now, 'cluster-api-provider-metal3-manager') });
    expect(pauseOf(KINDS.metal3Machine, 'm-1', CLUSTER_ANNOTATIONS.paused)).toContain('cluster-api-provider-metal3');
  });

  test('hosts have their own annotations again when it has ended', async () => {
    seen(KINDS.host, 'host-1', { metadata: { annotations: { [ANNOTATIONS.paused]: 'power work' } } });
    leases = [aLease('baremetal-operator-system')];
    await beside.look();
    leases = [aLease('baremetal-operator-system', { holderIdentity: '' })];
    await beside.look();
    expect(hostPause()).toBe('power work');
    expect(left.get('baremetal-operator')).toBe(0);
    expect(beside.warnings).toEqual([]);
  });

  test('its last write counts for some minutes, also where Leases can not be listed', async () => {
    leases = undefined;
    seen(KINDS.host, 'host-1', { metadata: wroteAt(now) });
    now += FRESH_MS - 1;
    await expect(beside.look()).rejects.toThrow('Leases are forbidden');
    expect(hostPause()).toBe(WORDS);
    now += 1;
    await expect(beside.look()).rejects.toThrow('Leases are forbidden');
    expect(hostPause()).toBeUndefined();
  });

  test('it does not end because its Lease can not be listed any more', async () => {
    seen(KINDS.host, 'host-1');
    leases = [aLease('baremetal-operator-system')];
    await beside.look();
    leases = undefined;
    now += 3_600_000;
    await expect(beside.look()).rejects.toThrow('Leases are forbidden');
    expect(hostPause()).toContain('baremetal-operator runs, too');
  });

  test('its clock does not matter while it renews its Lease', async () => {
    seen(KINDS.host, 'host-1');
    const renewedAt = (behindMs: number): void => {
      leases = [aLease('baremetal-operator-system', { renewTime: new Date(now - behindMs).toISOString() })];
    };
    renewedAt(300_000);
    await beside.look();
    expect(hostPause()).toBeUndefined();
    now += 10_000;
    renewedAt(300_000);
    await beside.look();
    expect(hostPause()).toContain('baremetal-operator runs, too');
    now += 10_000;
    await beside.look();
    expect(hostPause()).toBeUndefined();
  });

  test('of many Leases, whose holders have long names, one is told of', async () => {
    leases = ['first', 'second'].map((namespace) => aLease(namespace, { holderIdentity: 'x'.repeat(100_000) }));
    await beside.look();
    expect(beside.warnings).toEqual([expect.stringContaining(`(${'x'.repeat(253)} holds the Lease first/`)]);
  });
});

test('an operator of other namespaces is none of its business', async () => {
  beside = lookingAt(['metal', 'other']);
  seen(KINDS.host, 'host-1');
  leases = [aLease('baremetal-operator-system')];
  await beside.look();
  expect(hostPause()).toBeUndefined();
  leases = [aLease('metal')];
  await beside.look();
  expect(hostPause()).toBe(WORDS);
});

test.each<[string, object]>([
  ['an old entry of it', wroteAt(Date.parse('2026-11-29T11:00:00Z'))],
  ['a write of a person', wroteAt(Date.parse('2026-11-29T12:00:00Z'), 'kubectl-edit')],
  ['a write of Temper', wroteAt(Date.parse('2026-11-29T12:00:00Z'), 'temper')],
])('%s does not count', async (_, metadata) => {
  await beside.look();
  seen(KINDS.host, 'host-1', { metadata });
  expect(hostPause()).toBeUndefined();
});

test('the Lease of a bridge does not count', async () => {
  const lease = aLease('temper-system', { holderIdentity: 'temper-bridge-1' }) as { readonly metadata: object };
  const annotations = { 'temper/renewals': '[["temper-bridge-2",4],["temper-bridge-1",7]]' };
  leases = [{ ...lease, metadata: { ...lease.metadata, annotations } }];
  seen(KINDS.host, 'host-1');
  await beside.look();
  expect(hostPause()).toBeUndefined();
});

test('objects that are left alone are not written; others, and Events about them, are', async () => {
  await beside.look();
  seen(KINDS.host, 'host-1', { metadata: wroteAt(now) });
  const { kube } = objectsInMemory();
  const careful = leavingAlone(kube, beside.why);
  await expect(careful.patch(hostPath({ namespace: 'metal', name: 'host-1' }), {})).rejects.toMatchObject({
    status: 403,
    words: WORDS,
  } satisfies Partial<KubeError>);
  const body = (name: string, namespace: string) => ({ metadata: { name, namespace } });
  const post = (path: string, namespace: string): Promise<unknown> =>
    careful.request({ method: 'POST', path, body: body('any', namespace) });
  await expect(post('/apis/metal3.io/v1alpha1/namespaces/metal/dataimages', 'metal')).rejects.toThrow(WORDS);
  await expect(post('/apis/metal3.io/v1alpha1/namespaces/other/baremetalhosts', 'other')).resolves.toBeDefined();
  await expect(post('/api/v1/namespaces/metal/events', 'metal')).resolves.toBeDefined();
});
