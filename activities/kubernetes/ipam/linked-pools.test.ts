import { beforeEach, describe, expect, test } from 'vitest';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath, objectPath, type Resource } from '../../../kube/paths.ts';
import { type ObjectsInMemory, objectsInMemory, type StoredObject } from '../../../test/builders/objects-in-memory.ts';
import { STALE } from '../../../workflows/messages.ts';
import { type AddressActivities, createAddressActivities } from './addresses.ts';

const POOL = { namespace: 'metal', name: 'lan', uid: 'pool-uid' };
const PATH = objectPath(KINDS.ipPool, POOL);

let server: ObjectsInMemory;
let activities: AddressActivities;
const create = (kind: Resource, name: string, uid: string, spec: object = {}): Promise<unknown> => {
  const body = { metadata: { name, namespace: 'metal', uid }, spec };
  return server.kube.request({ method: 'POST', path: collectionPath(kind, 'metal'), body });
};
const change = (metadata: object) => server.kube.patch(PATH, { metadata });
const pool = (): StoredObject | undefined => server.all().get(PATH);
const SPEC = { namePrefix: 'p', clusterName: 'blue', pools: [] };
beforeEach(async () => {
  server = objectsInMemory();
  activities = createAddressActivities({ kube: server.kube });
  await create(KINDS.ipPool, POOL.name, POOL.uid, SPEC);
  await create(KINDS.cluster, 'blue', 'cluster-uid');
});

describe('a pool', () => {
  const labels = { 'cluster.x-k8s.io/cluster-name': 'blue', 'cluster.x-k8s.io/provider': 'ipam-metal3' };
  const owner = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    name: 'blue',
    uid: 'cluster-uid',
    controller: false,
  };
  const link = async (given: object = { owner: { uid: 'cluster-uid' } }) => {
    await activities.linkPool({ name: 'link', pool: POOL, cluster: 'blue', ...given });
    return pool()?.metadata;
  };

  test('gets the labels of its Cluster and names it as an owner, once', async () => {
    await change({ labels: { room: '1' } });
    expect(await link({})).toMatchObject({ labels: { room: '1', ...labels } });
    const linked = await link();
    expect(linked).toMatchObject({ labels, ownerReferences: [owner] });
    expect(await link()).toEqual(linked);
  });

  test('keeps an owner reference to a Cluster of this name, also with another uid', async () => {
    const moved = { ...owner, apiVersion: 'cluster.x-k8s.io/v1beta1', uid: 'before' };
    await change({ ownerReferences: [moved] });
    expect(await link()).toMatchObject({ labels, ownerReferences: [moved] });
  });

  test('that now belongs to another Cluster has it as one more owner, once', async () => {
    const green = { ...owner, name: 'green', uid: 'green-uid' };
    await change({ ownerReferences: [green] });
    const linked = await link();
    expect(linked).toMatchObject({ labels, ownerReferences: [green, owner] });
    expect(await link()).toEqual(linked);
  });

  test.each([
    ['a Cluster that its spec does not name', { cluster: 'green', owner: { uid: 'green-uid' } }],
    ['the label of such a Cluster', { cluster: 'green' }],
    ['an owner that does not exist, with which Kubernetes would delete it', { owner: { uid: 'made-up' } }],
  ])('is not given %s', async (_, made) => {
    await create(KINDS.cluster, 'green', 'green-uid');
    const before = pool();
    await expect(link(made)).rejects.toMatchObject({ type: STALE });
    expect(pool()).toEqual(before);
  });

  test('that is gone or was created anew is left alone', async () => {
    await server.kube.request({ method: 'DELETE', path: PATH });
    await activities.linkPool({ name: 'link', pool: POOL, cluster: 'blue' });
    await create(KINDS.ipPool, 'lan', 'another', SPEC);
    await activities.linkPool({ name: 'link', pool: POOL, cluster: 'blue' });
    expect(pool()?.metadata).not.toHaveProperty('labels');
  });

  test.each([
    ['is kept for another', 'a', '10.0.0.5'],
    ['is not the one kept for it', 'kept', '10.0.0.1'],
  ])('that is being deleted gives a claim an address that %s', async (_, name, address) => {
    const spec = { pools: [{ start: '10.0.0.1', end: '10.0.0.9' }], preAllocations: { kept: '10.0.0.5' } };
    await server.kube.patch(PATH, { spec, metadata: { finalizers: ['theirs'] } });
    await server.kube.request({ method: 'DELETE', path: PATH });
    await create(KINDS.ipClaim, name, 'claim-uid', { pool: { name: POOL.name } });
    const claim = { kind: 'IPClaim', name, uid: 'claim-uid' } as const;
    const tasks = [{ kind: 'give', claim, allocation: { address } }] as const;
    const answers = await activities.settleAddresses({ name: 'settle', pool: POOL, namePrefix: 'p', tasks });
    expect(answers).toEqual([{ kind: 'done' }]);
  });
});
