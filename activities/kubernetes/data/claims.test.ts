import { beforeEach, describe, expect, test } from 'vitest';
import { DATA_CLAIM_FINALIZER } from '../../../api/metal3dataclaim/kind.ts';
import type { ClaimTask } from '../../../domain/data-template/decide.ts';
import { KubeError } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath, objectPath, type Resource } from '../../../kube/paths.ts';
import { type ObjectsInMemory, objectsInMemory, type StoredObject } from '../../../test/builders/objects-in-memory.ts';
import { createDataClaimTaskActivities } from './claims.ts';

let server: ObjectsInMemory;
let uid: string;
const path = (kind: Resource, name: string): string => objectPath(kind, { namespace: 'metal', name });
const read = (kind: Resource, name: string): StoredObject | undefined => server.all().get(path(kind, name));
const remove = (kind: Resource, name: string) => server.kube.request({ method: 'DELETE', path: path(kind, name) });
const create = async (
  kind: Resource,
  name: string,
  spec: object,
  finalizers = [DATA_CLAIM_FINALIZER],
): Promise<StoredObject> =>
  (await server.kube.request({
    method: 'POST',
    path: collectionPath(kind, 'metal'),
    body: { metadata: { name, namespace: 'metal', finalizers }, spec },
  })) as StoredObject;
const settle = async (task: ClaimTask) => {
  const activities = createDataClaimTaskActivities({ kube: server.kube });
  return (await activities.settleClaims({ namespace: 'metal', template: 'racks', tasks: [task] }))[0];
};
const release = (of: string) => settle({ kind: 'release', claim: 'm-1', uid: of, data: 'racks-0' });

beforeEach(async () => {
  server = objectsInMemory();
  ({ uid } = (await create(KINDS.dataClaim, 'm-1', { template: { name: 'racks' } })).metadata);
  await create(KINDS.data, 'racks-0', { index: 0, template: { name: 'racks' }, claim: { name: 'm-1' } });
});

describe('a claim for data', () => {
  test('is released once it is being deleted', async () => {
    await remove(KINDS.dataClaim, 'm-1');
    expect(await release(uid)).toEqual({ kind: 'done' });
    expect([read(KINDS.data, 'racks-0'), read(KINDS.dataClaim, 'm-1')]).toEqual([undefined, undefined]);
  });

  test('that a webhook fails to check does not keep others from theirs', async () => {
    await remove(KINDS.dataClaim, 'm-1');
    const { uid: second } = (await create(KINDS.dataClaim, 'm-2', { template: { name: 'racks' } })).metadata;
    const failed = new KubeError('a write', 500, { reason: 'InternalError', message: 'failed calling webhook "x"' });
    server.beforeWrite = (_, written) => {
      if (written.startsWith(path(KINDS.dataClaim, 'm-2'))) throw failed;
    };
    const tasks: readonly ClaimTask[] = [
      { kind: 'complain', claim: 'm-2', uid: second, message: 'no' },
      { kind: 'release', claim: 'm-1', uid, data: 'racks-0' },
    ];
    const activities = createDataClaimTaskActivities({ kube: server.kube });
    expect(await activities.settleClaims({ namespace: 'metal', template: 'racks', tasks })).toEqual([
      { kind: 'refused', message: failed.words },
      { kind: 'done' },
    ]);
    expect(read(KINDS.dataClaim, 'm-1')).toBeUndefined();
  });

  test('that is not being deleted, because etcd was put back to a time before, keeps its data', async () => {
    const message = 'is not being deleted';
    expect(await release(uid)).toEqual({ kind: 'refused', message });
    // The claim that was deleted is a later one with the same name.
    expect(await release('of-a-later-claim')).toEqual({ kind: 'refused', message });
    expect(read(KINDS.data, 'racks-0')?.metadata).not.toHaveProperty('deletionTimestamp');
    expect(read(KINDS.dataClaim, 'm-1')?.metadata.finalizers).toEqual([DATA_CLAIM_FINALIZER]);
  });
});

test('a claim that was created anew while its data was created does not show them', async () => {
  const spec = { template: { name: 'racks' } };
  const [{ apiVersion, kind }, owner] = [KINDS.metal3Machine, { name: 'm-1', uid: 'm' }];
  const ownerReferences = [{ apiVersion, kind, ...owner }];
  const claim = path(KINDS.dataClaim, 'm-1');
  await server.kube.patch(claim, { metadata: { ownerReferences } });
  server.beforeWrite = (_, written) => {
    const found = server.all().get(claim);
    if (written !== `${claim}/status` || found === undefined) return;
    (server.all() as Map<string, StoredObject>).set(claim, {
      ...found,
      spec,
      metadata: { ...found.metadata, uid: 'new' },
    });
  };
  const given = settle({ kind: 'give', claim: 'm-1', uid, index: 1 });
  expect(await given).toEqual({ kind: 'done' });
  expect(read(KINDS.dataClaim, 'm-1')?.metadata.uid).toBe('new');
  expect(read(KINDS.dataClaim, 'm-1')?.status).toBeUndefined();
});

test('a claim for data of another template gets none, and stays as it is', async () => {
  const { apiVersion, kind } = KINDS.metal3Machine;
  const ownerReferences = [{ apiVersion, kind, name: 'm-1', uid: 'm' }];
  const spec = { template: { name: 'others' } };
  await server.kube.patch(path(KINDS.dataClaim, 'm-1'), { metadata: { ownerReferences }, spec });
  const before = read(KINDS.dataClaim, 'm-1');
  expect(await settle({ kind: 'give', claim: 'm-1', uid, index: 1 })).toEqual({ kind: 'done' });
  expect(read(KINDS.dataClaim, 'm-1')).toEqual(before);
  expect(read(KINDS.data, 'racks-1')).toBeUndefined();
});

test('data that is being deleted is held as long as its claim exists, whatever an order says', async () => {
  await remove(KINDS.data, 'racks-0');
  // A refusal, so that it is tried again: what was done is not done a second time.
  expect(await settle({ kind: 'let go', data: 'racks-0' })).toMatchObject({ kind: 'refused' });
  expect(read(KINDS.data, 'racks-0')?.metadata.finalizers).toEqual([DATA_CLAIM_FINALIZER]);
});

test('data without a claim loses our finalizer only while it is being deleted', async () => {
  (server.all() as Map<string, StoredObject>).delete(path(KINDS.dataClaim, 'm-1'));
  const letGo = () => settle({ kind: 'let go', data: 'racks-0' });
  expect(await letGo()).toEqual({ kind: 'done' });
  expect(read(KINDS.data, 'racks-0')?.metadata.finalizers).toEqual([DATA_CLAIM_FINALIZER]);
  await remove(KINDS.data, 'racks-0');
  expect(await letGo()).toEqual({ kind: 'done' });
  expect(read(KINDS.data, 'racks-0')).toBeUndefined();
});
