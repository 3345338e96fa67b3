import { beforeEach, describe, expect, test } from 'vitest';
import { ADDRESS_FINALIZERS } from '../../../api/ipam/kind.ts';
import type { AddressTask } from '../../../domain/ip-pool/decide.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath, type Resource } from '../../../kube/paths.ts';
import { addressesIn, FORBIDDEN, POOL, type Settling } from '../../../test/builders/addresses.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../../test/builders/objects-in-memory.ts';
import { behindPage, PAGE_404 } from '../../../test/builders/partial-api.ts';
import { createAddressActivities } from './addresses.ts';
import { ADDRESS_KINDS } from './claims.ts';

let server: ObjectsInMemory;
const { pool, read, remove, claim, address, settle } = addressesIn(() => server);
beforeEach(async () => {
  server = objectsInMemory();
  await pool();
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
