import { beforeEach, describe, expect, test } from 'vitest';
import { ADDRESS_FINALIZERS } from '../../../api/ipam/kind.ts';
import type { AddressTaskAnswer, PoolAction } from '../../../domain/ip-pool/action.ts';
import type { AddressTask } from '../../../domain/ip-pool/decide.ts';
import { type ClaimKind } from '../../../domain/ip-pool/names.ts';
import { KubeError } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath, objectPath, type Resource } from '../../../kube/paths.ts';
import { type ObjectsInMemory, objectsInMemory, type StoredObject } from '../../../test/builders/objects-in-memory.ts';
import { behindPage, PAGE_404, withoutGroup } from '../../../test/builders/partial-api.ts';
import { type AddressActivities, createAddressActivities } from './addresses.ts';
import { ADDRESS_KINDS } from './claims.ts';

const CLAIM_KINDS = ['IPClaim', 'IPAddressClaim'] as const;
type Settling = Extract<PoolAction, { readonly name: 'settle' }>;

const allocation = { address: '10.0.0.1', prefix: 24, gateway: '10.0.0.254', dnsServers: ['8.8.8.8'] };
const POOL = { namespace: 'metal', name: 'lan', uid: 'pool-uid' };
const A_TIME: unknown = expect.any(String);
const FORBIDDEN = new KubeError('a write', 403, { reason: 'Forbidden', message: 'not today', object: 'x' });

let server: ObjectsInMemory;
let activities: AddressActivities;
beforeEach(async () => {
  server = objectsInMemory();
  activities = createAddressActivities({ kube: server.kube });
  const { address: _, ...around } = allocation;
  const spec = { namePrefix: 'p', pools: [{ start: '10.0.0.1', end: '10.0.0.9' }], ...around };
  await create(KINDS.ipPool, 'lan', { metadata: { uid: POOL.uid }, spec });
});

const path = (kind: Resource, name: string): string => objectPath(kind, { namespace: 'metal', name });
const read = (kind: Resource, name: string): StoredObject | undefined => server.all().get(path(kind, name));
const create = async (kind: Resource, name: string, { metadata = {}, ...rest }: { metadata?: object; spec?: object }) =>
  (await server.kube.request({
    method: 'POST',
    path: collectionPath(kind, 'metal'),
    body: { ...rest, metadata: { ...metadata, name, namespace: 'metal' } },
  })) as StoredObject;
const addressesThere = (): readonly string[] =>
  [...server.all().keys()].filter((each) => each.includes('/ipaddresses/'));
const remove = (kind: Resource, name: string) => server.kube.request({ method: 'DELETE', path: path(kind, name) });
const claim = async (kind: ClaimKind, name = 'a', metadata: object = {}, pool = 'lan') => {
  const spec =
    kind === 'IPClaim'
      ? { pool: { name: pool } }
      : { poolRef: { name: pool, kind: 'IPPool', apiGroup: 'ipam.metal3.io' } };
  const { uid } = (await create(ADDRESS_KINDS[kind].claim, name, { metadata, spec })).metadata;
  return { kind, name, uid };
};
const change = (patch: object) => server.kube.patch(path(KINDS.ipPool, 'lan'), patch);
const address = (kind: ClaimKind, claimName: string, name = 'p-10-0-0-1', pool = 'lan') =>
  create(ADDRESS_KINDS[kind].address, name, {
    metadata: { finalizers: [ADDRESS_FINALIZERS[kind].address] },
    spec: {
      address: '10.0.0.1',
      ...(kind === 'IPClaim'
        ? { claim: { name: claimName }, pool: { name: pool } }
        : { claimRef: { name: claimName }, poolRef: { name: pool, kind: 'IPPool', apiGroup: 'ipam.metal3.io' } }),
    },
  });
const settle = async (task: AddressTask, namePrefix = 'p'): Promise<AddressTaskAnswer | undefined> => {
  const order: Settling = { name: 'settle', pool: POOL, namePrefix, tasks: [task] };
  return (await activities.settleAddresses(order))[0];
};

describe('an address that is given', () => {
  test('to an IPClaim becomes an IPAddress of Metal3, which the claim shows', async () => {
    const { uid } = await claim('IPClaim', 'a', { labels: { room: '1' }, finalizers: ['theirs'] });
    const given = { kind: 'give', claim: { kind: 'IPClaim', name: 'a', uid }, allocation } as const;
    expect(await settle(given)).toEqual({ kind: 'done' });
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')).toMatchObject({
      apiVersion: 'ipam.metal3.io/v1alpha1',
      kind: 'IPAddress',
      metadata: {
        labels: { room: '1' },
        finalizers: ['ipaddress.ipam.metal3.io'],
        ownerReferences: [
          { apiVersion: 'ipam.metal3.io/v1alpha1', kind: 'IPPool', name: 'lan', uid: 'pool-uid' },
          { apiVersion: 'ipam.metal3.io/v1alpha1', kind: 'IPClaim', name: 'a', uid },
        ],
      },
      spec: { ...allocation, pool: { name: 'lan', namespace: 'metal' }, claim: { name: 'a', namespace: 'metal' } },
    });
    expect(read(KINDS.ipClaim, 'a')).toMatchObject({
      metadata: { finalizers: ['theirs', 'ipclaim.ipam.metal3.io'] },
      status: { address: { name: 'p-10-0-0-1', namespace: 'metal' } },
    });
    expect(await settle(given)).toEqual({ kind: 'needless' });
  });

  test('to an IPAddressClaim becomes an IPAddress of Cluster API, and the claim is Ready', async () => {
    const ref = await claim('IPAddressClaim');
    const other = { type: 'Theirs', status: 'True', reason: 'x', message: '', lastTransitionTime: 'then' };
    await server.kube.patch(`${path(KINDS.ipAddressClaim, 'a')}/status`, { status: { conditions: [other] } });
    expect(await settle({ kind: 'give', claim: ref, allocation })).toEqual({ kind: 'done' });
    const { dnsServers: _, ...inContract } = allocation;
    expect(read(KINDS.clusterIpAddress, 'p-10-0-0-1')).toMatchObject({
      apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
      metadata: {
        finalizers: ['ipam.metal3.io/ipaddress'],
        ownerReferences: [{ kind: 'IPPool' }, { kind: 'IPAddressClaim' }],
      },
    });
    expect(read(KINDS.clusterIpAddress, 'p-10-0-0-1')?.spec).toEqual({
      ...inContract,
      poolRef: { name: 'lan', kind: 'IPPool', apiGroup: 'ipam.metal3.io' },
      claimRef: { name: 'a' },
    });
    const ready = { type: 'Ready', status: 'True', reason: 'Allocated', message: '', observedGeneration: 1 };
    expect(read(KINDS.ipAddressClaim, 'a')).toMatchObject({
      metadata: { finalizers: ['ipam.metal3.io/ipaddressclaim'] },
      status: { addressRef: { name: 'p-10-0-0-1' }, conditions: [{ ...ready, lastTransitionTime: A_TIME }, other] },
    });
  });

  test('has the prefix 0 in Cluster API when the pool has none', async () => {
    await change({ spec: { prefix: null, gateway: null, dnsServers: null } });
    await settle({ kind: 'give', claim: await claim('IPAddressClaim'), allocation: { address: '10.0.0.1' } });
    expect(read(KINDS.clusterIpAddress, 'p-10-0-0-1')?.spec).toMatchObject({ prefix: 0 });
    await settle({ kind: 'give', claim: await claim('IPClaim'), allocation: { address: '10.0.0.2' } });
    expect(read(KINDS.ipAddress, 'p-10-0-0-2')?.spec).not.toHaveProperty('prefix');
  });

  test('to a claim with the annotation of a pause is given as to any other: only pools are paused', async () => {
    const paused = { annotations: { 'cluster.x-k8s.io/paused': '' } };
    const refs = [await claim('IPClaim', 'a', paused), await claim('IPAddressClaim', 'b', paused)];
    for (const [index, ref] of refs.entries()) {
      const given = { ...allocation, address: `10.0.0.${index + 1}` };
      expect(await settle({ kind: 'give', claim: ref, allocation: given })).toEqual({ kind: 'done' });
    }
    expect(read(KINDS.ipClaim, 'a')?.status).toMatchObject({ address: { name: 'p-10-0-0-1' } });
    expect(read(KINDS.ipAddressClaim, 'b')?.status).toMatchObject({ addressRef: { name: 'p-10-0-0-2' } });
  });

  test('is not given to a claim that is gone, leaves, or was created anew', async () => {
    const ref = { kind: 'IPClaim', name: 'a', uid: 'old' } as const;
    const given = (uid: string) => settle({ kind: 'give', claim: { ...ref, uid }, allocation });
    expect(await given('old')).toEqual({ kind: 'needless' });
    const { uid } = await claim('IPClaim', 'a', { finalizers: ['theirs'] });
    expect(await given('old')).toEqual({ kind: 'needless' });
    await remove(KINDS.ipClaim, 'a');
    expect(await given(uid)).toEqual({ kind: 'needless' });
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')).toBeUndefined();
  });

  test.each([
    ['is in none of its ranges', { address: '10.0.1.1' }],
    ['is no address', { address: 'nonsense' }],
    ['has another gateway', { gateway: '10.0.0.66' }],
    ['has another name server', { dnsServers: ['6.6.6.6'] }],
    ['has another prefix', { prefix: 8 }],
    ['is kept for another claim', { address: '10.0.0.5' }],
  ])('is the one that the object of the pool gives: in a made-up order that %s, it is refused', async (_, made) => {
    await change({ spec: { preAllocations: { kept: '10.0.0.5' } } });
    const given = { ...allocation, ...made };
    const message = `IPPool lan does not give it ${given.address} now`;
    expect(await settle({ kind: 'give', claim: await claim('IPClaim'), allocation: given })).toEqual({
      kind: 'refused',
      message,
    });
    expect(addressesThere()).toEqual([]);
    expect(read(KINDS.ipClaim, 'a')?.status).toBeUndefined();
    expect(read(KINDS.ipClaim, 'a')?.metadata).not.toHaveProperty('finalizers');
  });

  test.each([
    ['asks for another', { annotations: { ipAddress: '10.0.0.3' } }, 'a'],
    ['has another kept for it', {}, 'kept'],
  ])('is refused to a claim that %s', async (_, metadata, name) => {
    await change({ spec: { preAllocations: { kept: '10.0.0.5' } } });
    const ref = await claim('IPClaim', name, metadata);
    expect(await settle({ kind: 'give', claim: ref, allocation })).toMatchObject({ kind: 'refused' });
    expect(addressesThere()).toEqual([]);
  });

  test('is refused under a name by which one that is in use could be given again, and when the pool is gone', async () => {
    const given = { kind: 'give', claim: await claim('IPClaim'), allocation } as const;
    expect(await settle(given, 'q')).toMatchObject({ kind: 'refused' });
    await remove(KINDS.ipPool, 'lan');
    expect(await settle(given)).toMatchObject({ kind: 'refused' });
    expect(addressesThere()).toEqual([]);
  });

  test.each(CLAIM_KINDS)('is not given to a claim of another pool, which stays as it is: %s', async (kind) => {
    const ref = await claim(kind, 'a', {}, 'other');
    const before = read(ADDRESS_KINDS[kind].claim, 'a');
    expect(await settle({ kind: 'give', claim: ref, allocation })).toEqual({ kind: 'needless' });
    const refuse = { kind: 'refuse', claim: ref, reason: 'PoolExhausted', message: 'x' } as const;
    expect(await settle(refuse)).toEqual({ kind: 'needless' });
    expect(read(ADDRESS_KINDS[kind].claim, 'a')).toEqual(before);
    expect(addressesThere()).toEqual([]);
  });

  test('may exist since a crash, and is taken when it is that of another claim or pool, or leaves', async () => {
    const ref = await claim('IPClaim');
    const given = { kind: 'give', claim: ref, allocation } as const;
    await address('IPClaim', 'b');
    expect(await settle(given)).toEqual({ kind: 'taken' });
    (server.all() as Map<string, StoredObject>).delete(path(KINDS.ipAddress, 'p-10-0-0-1'));
    await address('IPClaim', 'a', 'p-10-0-0-1', 'other');
    expect(await settle(given)).toEqual({ kind: 'taken' });
    (server.all() as Map<string, StoredObject>).delete(path(KINDS.ipAddress, 'p-10-0-0-1'));
    await address('IPClaim', 'a');
    expect(await settle(given)).toEqual({ kind: 'done' });
    const second = await claim('IPClaim', 'c');
    await address('IPClaim', 'c', 'p-10-0-0-2');
    await remove(KINDS.ipAddress, 'p-10-0-0-2');
    const leaving = { ...given, claim: second, allocation: { ...allocation, address: '10.0.0.2' } };
    expect(await settle(leaving)).toEqual({ kind: 'taken' });
  });

  test('is returned when a claim of the other kind has it, also one that nobody knows of', async () => {
    const ref = await claim('IPClaim');
    await address('IPAddressClaim', 'b');
    expect(await settle({ kind: 'give', claim: ref, allocation })).toEqual({ kind: 'taken' });
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')).toBeUndefined();
    expect(read(KINDS.ipClaim, 'a')?.status).toBeUndefined();
    await address('IPClaim', 'a');
    expect(await settle({ kind: 'show', claim: ref, name: 'p-10-0-0-1' })).toEqual({
      kind: 'refused',
      message: 'IPAddress p-10-0-0-1 is of two claims',
    });
  });

  test('is given where Cluster API is not installed, with its kinds of addresses', async () => {
    const ref = await claim('IPClaim');
    const kube = withoutGroup(server.kube, 'ipam.cluster.x-k8s.io');
    const tasks: readonly AddressTask[] = [{ kind: 'give', claim: ref, allocation }];
    const order: Settling = { name: 'settle', pool: POOL, namePrefix: 'p', tasks };
    expect(await createAddressActivities({ kube }).settleAddresses(order)).toEqual([{ kind: 'done' }]);
    expect(read(KINDS.ipClaim, 'a')?.status).toMatchObject({ address: { name: 'p-10-0-0-1' } });
  });

  test('that the API server refuses is told on the claim, and to nobody else', async () => {
    const refs = [await claim('IPClaim'), await claim('IPAddressClaim', 'b')];
    server.beforeWrite = (method) => {
      if (method === 'POST') throw FORBIDDEN;
    };
    for (const ref of refs) {
      expect(await settle({ kind: 'give', claim: ref, allocation })).toEqual({
        kind: 'refused',
        message: FORBIDDEN.words,
      });
    }
    const message = 'Failed to create associated IPAddress object';
    expect(read(KINDS.ipClaim, 'a')?.status).toEqual({ errorMessage: message });
    expect(read(KINDS.ipAddressClaim, 'b')?.status).toMatchObject({
      conditions: [{ type: 'Ready', status: 'False', reason: 'AllocationFailed', message }],
    });
    server.beforeWrite = () => undefined;
    await settle({ kind: 'give', claim: refs[0] ?? { kind: 'IPClaim', name: '', uid: '' }, allocation });
    expect(read(KINDS.ipClaim, 'a')?.status).toEqual({ address: { name: 'p-10-0-0-1', namespace: 'metal' } });
  });
});

describe('a claim', () => {
  test('is shown its IPAddress, if that is there', async () => {
    const ref = await claim('IPClaim');
    const task = { kind: 'show', claim: ref, name: 'p-10-0-0-1' } as const;
    expect(await settle(task)).toEqual({ kind: 'refused', message: 'IPAddress p-10-0-0-1 is gone' });
    await address('IPClaim', 'a');
    expect(await settle(task)).toEqual({ kind: 'done' });
    expect(read(KINDS.ipClaim, 'a')).toMatchObject({
      metadata: { finalizers: ['ipclaim.ipam.metal3.io'] },
      status: { address: { name: 'p-10-0-0-1' } },
    });
    expect(await settle(task)).toEqual({ kind: 'needless' });
  });

  test('is told why it gets no address, and is not held for that', async () => {
    const ref = await claim('IPAddressClaim');
    const refuse = { kind: 'refuse', claim: ref, reason: 'PoolExhausted', message: 'Exhausted IP Pools' } as const;
    expect(await settle(refuse)).toEqual({ kind: 'done' });
    expect(read(KINDS.ipAddressClaim, 'a')).toMatchObject({
      status: {
        conditions: [{ type: 'Ready', status: 'False', reason: 'PoolExhausted', message: 'Exhausted IP Pools' }],
      },
    });
    expect(read(KINDS.ipAddressClaim, 'a')?.metadata).not.toHaveProperty('finalizers');
    await address('IPAddressClaim', 'a');
    await settle({ kind: 'show', claim: ref, name: 'p-10-0-0-1' });
    expect(await settle(refuse)).toEqual({ kind: 'needless' });
  });

  const held = { finalizers: ['ipclaim.ipam.metal3.io'] };

  test('that is released frees the IPAddresses that are known, or all when none is', async () => {
    const ref = await claim('IPClaim', 'a', held);
    await address('IPClaim', 'a');
    await address('IPClaim', 'other', 'p-10-0-0-2');
    await remove(KINDS.ipClaim, 'a');
    expect(await settle({ kind: 'release', claim: ref, names: [] })).toEqual({ kind: 'done' });
    expect([read(KINDS.ipAddress, 'p-10-0-0-1'), read(KINDS.ipClaim, 'a')]).toEqual([undefined, undefined]);
    expect(read(KINDS.ipAddress, 'p-10-0-0-2')).toBeDefined();

    const next = await claim('IPClaim', 'b', held);
    await address('IPClaim', 'b');
    await remove(KINDS.ipClaim, 'b');
    expect(await settle({ kind: 'release', claim: next, names: ['p-10-0-0-1', 'p-10-0-0-2'] })).toEqual({
      kind: 'done',
    });
    expect([read(KINDS.ipAddress, 'p-10-0-0-1'), read(KINDS.ipClaim, 'b')]).toEqual([undefined, undefined]);
    expect(read(KINDS.ipAddress, 'p-10-0-0-2')?.metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('that others use again is not released', async () => {
    const ref = await claim('IPClaim', 'a', { finalizers: [...held.finalizers, 'theirs'] });
    await address('IPClaim', 'a');
    await remove(KINDS.ipClaim, 'a');
    const message = 'has finalizers of others again';
    expect(await settle({ kind: 'release', claim: ref, names: ['p-10-0-0-1'] })).toEqual({ kind: 'refused', message });
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')).toBeDefined();
  });

  test('that is not being deleted, because etcd was put back to a time before, keeps its IPAddress', async () => {
    const ref = await claim('IPClaim', 'a', held);
    await address('IPClaim', 'a');
    const release = (uid: string) => settle({ kind: 'release', claim: { ...ref, uid }, names: ['p-10-0-0-1'] });
    const message = 'is not being deleted';
    expect(await release(ref.uid)).toEqual({ kind: 'refused', message });
    // The claim that was deleted is a later one with the same name.
    expect(await release('of-a-later-claim')).toEqual({ kind: 'refused', message });
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')?.metadata).toMatchObject({ finalizers: ['ipaddress.ipam.metal3.io'] });
    expect(read(KINDS.ipClaim, 'a')?.metadata).toMatchObject(held);
  });

  test('keeps its finalizer while its IPAddress cannot be deleted, and says so', async () => {
    const ref = await claim('IPClaim', 'a', held);
    await address('IPClaim', 'a');
    await remove(KINDS.ipClaim, 'a');
    server.beforeWrite = (method) => {
      if (method === 'DELETE') throw FORBIDDEN;
    };
    expect(await settle({ kind: 'release', claim: ref, names: ['p-10-0-0-1'] })).toMatchObject({ kind: 'refused' });
    expect(read(KINDS.ipClaim, 'a')).toMatchObject({
      metadata: held,
      status: { errorMessage: 'Failed to delete associated IPAddress object' },
    });
  });
});

describe('a claim that is released while its IPAddress cannot be read', () => {
  const isOf = (kind: Resource, path: string): boolean => path.startsWith(collectionPath(kind, 'metal'));
  const forbidden = (kind: Resource): ObjectsInMemory['kube'] => ({
    ...server.kube,
    request: (call) => {
      const isRead = call.method === undefined && isOf(kind, call.path);
      return isRead ? Promise.reject(FORBIDDEN) : server.kube.request(call);
    },
  });
  const behind = (kind: Resource): ObjectsInMemory['kube'] => behindPage(server.kube, (path) => isOf(kind, path));

  test.each([
    ['is known', 'IPClaim', ['p-10-0-0-1'], 'forbidden', forbidden],
    ['has to be looked for', 'IPClaim', [], 'forbidden', forbidden],
    ['is known', 'IPAddressClaim', ['p-10-0-0-1'], 'forbidden', forbidden],
    ['is known', 'IPClaim', ['p-10-0-0-1'], 'behind a page with 404', behind],
    ['has to be looked for', 'IPClaim', [], 'behind a page with 404', behind],
    ['is known', 'IPAddressClaim', ['p-10-0-0-1'], 'behind a page with 404', behind],
    ['has to be looked for', 'IPAddressClaim', [], 'behind a page with 404', behind],
  ] as const)('keeps its finalizer and says so: its IPAddress %s, %s, %s, %s', async (_, kind, names, __, reading) => {
    const { claim: claims, address: addresses } = ADDRESS_KINDS[kind];
    const finalizers = [ADDRESS_FINALIZERS[kind].claim];
    const ref = await claim(kind, 'a', { finalizers });
    await address(kind, 'a');
    await remove(claims, 'a');
    const tasks: readonly AddressTask[] = [{ kind: 'release', claim: ref, names }];
    const order: Settling = { name: 'settle', pool: POOL, namePrefix: 'p', tasks };
    const refused = createAddressActivities({ kube: reading(addresses) });
    const words = reading === forbidden ? FORBIDDEN.words : PAGE_404;
    expect(await refused.settleAddresses(order)).toEqual([{ kind: 'refused', message: words }]);
    const message = 'Failed to get associated IPAddress object';
    const shown =
      kind === 'IPClaim'
        ? { errorMessage: message }
        : { conditions: [{ type: 'Ready', status: 'False', reason: 'AllocationFailed', message }] };
    expect(read(claims, 'a')).toMatchObject({ metadata: { finalizers }, status: shown });
    expect(read(addresses, 'p-10-0-0-1')).toBeDefined();
  });
});

describe('a loose IPAddress', () => {
  const letGo = (name = 'p-10-0-0-1', of = 'a') =>
    settle({ kind: 'let go', loose: { kind: 'IPClaim', claim: of, name, address: '10.0.0.1' } });
  const shows = (name: string) =>
    server.kube.patch(`${path(KINDS.ipClaim, 'a')}/status`, { status: { address: { name, namespace: 'metal' } } });

  test('is deleted when it leaves, unless its claim shows it', async () => {
    await address('IPClaim', 'a');
    await letGo();
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')).toBeDefined();
    await remove(KINDS.ipAddress, 'p-10-0-0-1');
    await claim('IPClaim');
    await shows('p-10-0-0-1');
    await letGo();
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')).toBeDefined();
    await shows('p-10-0-0-2');
    await letGo();
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')).toBeUndefined();
    expect(await letGo()).toEqual({ kind: 'done' });
  });

  test('is not one that is in use, whatever claim the order names', async () => {
    await claim('IPClaim', 'used');
    const status = { address: { name: 'p-10-0-0-1', namespace: 'metal' } };
    await server.kube.patch(`${path(KINDS.ipClaim, 'used')}/status`, { status });
    await address('IPClaim', 'used');
    await claim('IPClaim');
    await shows('p-10-0-0-2');
    await letGo('p-10-0-0-1', 'a');
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')?.metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('of another pool stays', async () => {
    await claim('IPClaim');
    await shows('p-10-0-0-2');
    await address('IPClaim', 'a', 'p-10-0-0-1', 'other');
    await letGo();
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')?.metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('is deleted when its claim shows another', async () => {
    await claim('IPClaim');
    await address('IPClaim', 'a');
    await letGo();
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')).toBeDefined();
    await shows('p-10-0-0-2');
    await letGo();
    expect(read(KINDS.ipAddress, 'p-10-0-0-1')).toBeUndefined();
  });
});
