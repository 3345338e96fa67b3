import { beforeEach, describe, expect, test } from 'vitest';
import type { AddressTask } from '../../../domain/ip-pool/decide.ts';
import { KINDS } from '../../../kube/kinds.ts';
import {
  addressesIn,
  ALLOCATION as allocation,
  FORBIDDEN,
  POOL,
  type Settling,
} from '../../../test/builders/addresses.ts';
import { type ObjectsInMemory, objectsInMemory, type StoredObject } from '../../../test/builders/objects-in-memory.ts';
import { withoutGroup } from '../../../test/builders/partial-api.ts';
import { createAddressActivities } from './addresses.ts';
import { ADDRESS_KINDS } from './claims.ts';

const CLAIM_KINDS = ['IPClaim', 'IPAddressClaim'] as const;
const A_TIME: unknown = expect.any(String);

let server: ObjectsInMemory;
const { path, pool, change, read, remove, claim, address, addressesThere, settle } = addressesIn(() => server);
beforeEach(async () => {
  server = objectsInMemory();
  await pool();
});

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
