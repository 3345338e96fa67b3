import { beforeEach, describe, expect, test } from 'vitest';
import type { EntityView, Shown } from '../../domain/entity/view.ts';
import type { PoolSnapshot } from '../../domain/ip-pool/snapshot.ts';
import type { Kube } from '../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { collectionPath } from '../../kube/paths.ts';
import { createStore, type Entry, type Store } from '../../kube/store.ts';
import { objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { behindPage, PAGE_404, withoutGroup } from '../../test/builders/partial-api.ts';
import type { Binding } from '../binding.ts';
import type { Written } from '../ledger.ts';
import { ipPoolBinding } from './ip-pool.ts';

let store: Store;
let binding: Binding;
let later: (readonly [string, number])[];
let now: number;
beforeEach(() => {
  store = createStore();
  later = [];
  now = 0;
  binding = ipPoolBinding({ stores: store, lookLater: (_, ...each) => void later.push(each), now: () => now });
});

interface Parts {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}
const entry = (kind: FollowedKind, name: string, { metadata = {}, ...rest }: Parts = {}): Entry => {
  const identity = { namespace: 'metal', name, uid: `${name}-uid`, resourceVersion: '7' };
  const meta = { ...identity, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata };
  return { ...identity, object: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: meta, ...rest } };
};
const put = (kind: FollowedKind, name: string, parts?: Parts): Entry => {
  const made = entry(kind, name, parts);
  store.put(kind, made);
  return made;
};
const pool = (name = 'lan', spec: object = {}, parts: Parts = {}): Entry =>
  put(KINDS.ipPool, name, { ...parts, spec: { namePrefix: 'p', pools: [{ subnet: '10.0.0.0/24' }], ...spec } });
const observed = (of: Entry): PoolSnapshot => binding.observe(of, store, { written: undefined, now }) as PoolSnapshot;
const concerned = (kind: FollowedKind, one: Entry): readonly string[] => [...binding.concerned(kind, one, store)];
const anAddress = (text: string, claim: string, of = 'lan', name = `p-${text.replaceAll('.', '-')}`): Entry =>
  put(KINDS.ipAddress, name, { spec: { address: text, claim: { name: claim }, pool: { name: of } } });
const POOL_REF = { name: 'lan', kind: 'IPPool', apiGroup: 'ipam.metal3.io' };

describe('a pool is concerned by', () => {
  test('claims of both kinds that name it, and by no others', () => {
    const claims: readonly (readonly [FollowedKind, object, readonly string[]])[] = [
      [KINDS.ipClaim, { pool: { name: 'lan' } }, ['metal/lan']],
      [KINDS.ipClaim, { pool: { name: 'lan', namespace: 'metal' } }, ['metal/lan']],
      [KINDS.ipClaim, { pool: { name: 'lan', namespace: 'other' } }, []],
      [KINDS.ipClaim, { pool: {} }, []],
      [KINDS.ipAddressClaim, { poolRef: POOL_REF }, ['metal/lan']],
      [KINDS.ipAddressClaim, { poolRef: { ...POOL_REF, kind: 'InClusterIPPool' } }, []],
      [KINDS.ipAddressClaim, { poolRef: { ...POOL_REF, apiGroup: 'ipam.cluster.x-k8s.io' } }, []],
      [KINDS.ipAddressClaim, {}, []],
    ];
    for (const [at, [kind, spec, keys]] of claims.entries()) {
      expect(concerned(kind, put(kind, `claim-${at}`, { spec }))).toEqual(keys);
    }
    const names = observed(pool()).claims.map(({ name }) => name);
    expect(names).toEqual(['claim-0', 'claim-1', 'claim-4']);
  });

  test('its IPAddresses, and by those of other pools that have the names of its own', () => {
    pool();
    pool('wan', { namePrefix: 'w' });
    expect(concerned(KINDS.ipAddress, anAddress('10.0.0.1', 'a'))).toEqual(['metal/lan', 'metal/lan']);
    expect(concerned(KINDS.ipAddress, anAddress('10.0.0.2', 'a', 'wan'))).toEqual(['metal/wan', 'metal/lan']);
    expect(concerned(KINDS.ipAddress, anAddress('10.0.0.3', 'a', 'lan', 'by-hand'))).toEqual(['metal/lan']);
    expect(observed(pool())).toMatchObject({ inUse: ['10.0.0.1-10.0.0.3'], addresses: 2 });
    expect(concerned(KINDS.ipAddress, put(KINDS.ipAddress, 'odd', { spec: { address: 'x' } }))).toEqual([]);
  });

  test('its Cluster', () => {
    const blue = put(KINDS.cluster, 'blue');
    pool('lan', { clusterName: 'blue' });
    pool('wan');
    expect(concerned(KINDS.cluster, blue)).toEqual(['metal/lan']);
  });
});

describe('a snapshot', () => {
  test('has the Cluster of the pool, and whether the pool is linked to it', () => {
    const labels = { 'cluster.x-k8s.io/cluster-name': 'blue', 'cluster.x-k8s.io/provider': 'ipam-metal3' };
    const spec = { clusterName: 'blue' };
    expect(observed(pool()).cluster).toBeUndefined();
    expect(observed(pool('lan', spec)).cluster).toEqual({ name: 'blue', paused: false, isLinked: false });
    expect(observed(pool('lan', spec, { metadata: { labels } })).cluster).toMatchObject({ isLinked: true });
    put(KINDS.cluster, 'blue', { spec: { paused: true } });
    const unowned = pool('lan', spec, { metadata: { labels } });
    expect(observed(unowned).cluster).toEqual({ name: 'blue', uid: 'blue-uid', paused: true, isLinked: false });
    const owner = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', name: 'blue', uid: 'other' };
    const owned = pool('lan', spec, { metadata: { labels, ownerReferences: [owner] } });
    expect(observed(owned).cluster).toMatchObject({ isLinked: true });
    const formerly = { ...owner, name: 'green' };
    const moved = pool('lan', spec, { metadata: { labels, ownerReferences: [formerly, owner] } });
    expect(observed(moved).cluster).toMatchObject({ isLinked: true });
  });

  test('keeps addresses for claims, unless the pool is being deleted', () => {
    const spec = { preAllocations: { a: '10.0.0.9' } };
    put(KINDS.ipClaim, 'a', { spec: { pool: { name: 'lan' } } });
    const snapshot = observed(pool('lan', spec));
    expect(snapshot).toMatchObject({ reserved: ['10.0.0.9'], claims: [{ preAllocated: '10.0.0.9' }] });
    expect(snapshot.spec).not.toHaveProperty('preAllocations');
    const leaving = pool('lan', spec, { metadata: { deletionTimestamp: '2026-01-02T00:00:00Z' } });
    expect(observed(leaving).reserved).toEqual([]);
  });

  test('is signalled again for what decides about open claims, not for each address that was given', () => {
    const of = pool();
    const before = binding.essence(observed(of));
    put(KINDS.ipClaim, 'a', {
      metadata: { finalizers: ['ipclaim.ipam.metal3.io'] },
      spec: { pool: { name: 'lan' } },
      status: { address: { name: 'p-10-0-0-1' } },
    });
    anAddress('10.0.0.1', 'a');
    expect(binding.essence(observed(of))).toEqual(before);
    put(KINDS.ipClaim, 'b', { spec: { pool: { name: 'lan' } } });
    expect(binding.essence(observed(of))).not.toEqual(before);
    const leaving = pool('lan', {}, { metadata: { deletionTimestamp: '2026-01-02T00:00:00Z' } });
    const many = binding.essence(observed(leaving));
    anAddress('10.0.0.2', 'c');
    expect(binding.essence(observed(leaving))).not.toEqual(many);
  });

  test('is signalled again when somebody reserves an address while a claim waits for its own', () => {
    const of = pool();
    put(KINDS.ipClaim, 'b', { spec: { pool: { name: 'lan' } } });
    const before = binding.essence(observed(of));
    anAddress('10.0.0.1', 'nobody', 'lan', 'by-hand');
    expect(binding.essence(observed(of))).not.toEqual(before);
    put(KINDS.ipClaim, 'b', {
      metadata: { finalizers: ['ipclaim.ipam.metal3.io'], deletionTimestamp: '2026-01-02T00:00:00Z' },
      spec: { pool: { name: 'lan' } },
    });
    const leaving = binding.essence(observed(of));
    anAddress('10.0.0.2', 'nobody', 'lan', 'by-hand-too');
    expect(binding.essence(observed(of))).toEqual(leaving);
  });

  test('cannot be made of a pool that cannot be read', () => {
    expect(observed(put(KINDS.ipPool, 'odd', { spec: { namePrefix: '' } }))).toHaveProperty('problems');
  });
});

describe('the status of a pool', () => {
  const written = (at: number) => ({ at }) as Written;
  const completed = (of: Entry, shown: Shown) =>
    binding.complete?.({
      view: { namespace: 'metal', name: 'lan', shown } as EntityView,
      object: readObject(of.object),
      written: undefined,
      kube: objectsInMemory().kube,
      stores: store,
    });

  test('has the addresses by the names of their claims', async () => {
    const of = pool();
    expect(await completed(of, { status: {} })).toMatchObject({ status: {} });
    anAddress('10.0.0.1', 'a');
    const spec = { address: '10.0.0.2', claimRef: { name: 'a' }, poolRef: POOL_REF };
    put(KINDS.clusterIpAddress, 'p-10-0-0-2', { spec });
    const indexes = { a: '10.0.0.1', 'a/IPAddressClaim': '10.0.0.2' };
    expect(await completed(of, { status: {} })).toMatchObject({ status: { indexes } });
  });

  test('stays as it is while the pool is paused', async () => {
    const of = pool('lan', {}, { status: { indexes: { a: '10.0.0.9' }, lastUpdated: 'then' } });
    expect(await completed(of, {})).toMatchObject({ status: { indexes: { a: '10.0.0.9' }, lastUpdated: 'then' } });
    const paused = pool('lan', {}, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    anAddress('10.0.0.1', 'a');
    expect(binding.isStale?.(paused, written(0), store)).toBe(false);
    expect(binding.isStale?.(pool('lan', { clusterName: 'none' }), written(0), store)).toBe(false);
  });

  test('is written again when addresses come or go, the later the more there are', () => {
    const of = pool('lan', {}, { status: { indexes: { a: '10.0.0.1', b: '10.0.0.2' } } });
    anAddress('10.0.0.1', 'a');
    const two = anAddress('10.0.0.2', 'b');
    now = 1_000;
    expect(binding.isStale?.(of, written(0), store)).toBe(false);
    store.remove(KINDS.ipAddress, `metal/${two.name}`);
    expect(binding.isStale?.(of, written(0), store)).toBe(true);
    for (let at = 3; at < 103; at += 1) anAddress(`10.0.0.${at}`, `c${at}`);
    expect(binding.isStale?.(of, written(990), store)).toBe(false);
    expect(later).toEqual([['metal/lan', 40.5]]);
  });
});

test('a pool keeps its finalizer while the API server has an IPAddress of it', async () => {
  const { kube } = objectsInMemory();
  const object = readObject(pool().object);
  const hindrance = (api: Kube = kube) =>
    binding.hindranceToLeave?.({ object, view: { shown: {} }, stores: createStore(), kube: api });
  const without = withoutGroup(kube, 'ipam.cluster.x-k8s.io');
  expect([await hindrance(), await hindrance(without)]).toEqual([undefined, undefined]);
  const body = { metadata: { name: 'p-10-0-0-1' }, spec: { address: '10.0.0.1', pool: { name: 'lan' } } };
  await kube.request({ method: 'POST', path: collectionPath(KINDS.ipAddress, 'metal'), body });
  const exist = '1 of its IPAddresses exist';
  expect([await hindrance(), await hindrance(without)]).toEqual([exist, exist]);
  for (const kind of [KINDS.ipAddress, KINDS.clusterIpAddress]) {
    const page = behindPage(objectsInMemory().kube, (path) => path === collectionPath(kind, 'metal'));
    await expect(hindrance(page)).rejects.toThrow(PAGE_404);
  }
});
