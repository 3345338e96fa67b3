import { beforeEach, describe, expect, test } from 'vitest';
import { type ObjectsInMemory, objectsInMemory } from '../../../test/builders/objects-in-memory.ts';
import { STALE } from '../../../workflows/messages.ts';
import { createMachineSetActivities } from './machine-sets.ts';

const ROOT = '/apis/machine.openshift.io/v1beta1/namespaces/metal';
const SET = { namespace: 'metal', name: 'workers', uid: 'set-uid' };
const OWNER = {
  apiVersion: 'machine.openshift.io/v1beta1',
  kind: 'MachineSet',
  name: 'workers',
  uid: 'set-uid',
  controller: true,
  blockOwnerDeletion: true,
};

let objects: ObjectsInMemory;
let activities: ReturnType<typeof createMachineSetActivities>;
beforeEach(() => {
  objects = objectsInMemory();
  activities = createMachineSetActivities(objects.kube);
});
const post = (plural: string, name: string, metadata: object, spec: object = {}): Promise<unknown> => {
  const body = { metadata: { name, namespace: 'metal', uid: `${name}-uid`, ...metadata }, spec };
  return objects.kube.request({ method: 'POST', path: `${ROOT}/${plural}`, body });
};
const aSet = (replicas: number, metadata: object = {}): Promise<unknown> =>
  post(
    'machinesets',
    'workers',
    { uid: 'set-uid', ...metadata },
    {
      replicas,
      selector: { matchLabels: { set: 'workers' } },
      template: {
        metadata: { labels: { set: 'workers' }, annotations: { a: 'b' } },
        spec: { providerSpec: { value: {} } },
      },
    },
  );
const aMachine = (name: string, owned = true): Promise<unknown> =>
  post('machines', name, owned ? { ownerReferences: [OWNER] } : {});
const names = (): readonly string[] =>
  [...objects.all().keys()]
    .filter((path) => path.startsWith(`${ROOT}/machines/`))
    .map((path) => path.split('/').at(-1) ?? '');

describe('Machines of a MachineSet', () => {
  test('are made from its template, and belong to it', async () => {
    await aSet(2);
    expect(await activities.makeMachines({ set: SET, names: ['workers-a', 'workers-b'] })).toEqual([
      'workers-a',
      'workers-b',
    ]);
    expect(objects.all().get(`${ROOT}/machines/workers-a`)).toMatchObject({
      apiVersion: 'machine.openshift.io/v1beta1',
      kind: 'Machine',
      metadata: { labels: { set: 'workers' }, annotations: { a: 'b' }, ownerReferences: [OWNER] },
      spec: { providerSpec: { value: {} } },
    });
  });

  test('are made once, whatever is repeated, and leave names to others that have them', async () => {
    await aSet(2);
    await aMachine('workers-b', false);
    const input = { set: SET, names: ['workers-a', 'workers-b'] };
    await activities.makeMachines(input);
    expect(await activities.makeMachines(input)).toEqual(['workers-a']);
    expect(names()).toEqual(['workers-b', 'workers-a']);
  });

  test('are not made beyond its replicas, whatever names an order has', async () => {
    await aSet(2);
    await aMachine('workers-a');
    const order = { set: SET, names: ['workers-a', 'workers-b', 'workers-c'] };
    await expect(activities.makeMachines(order)).rejects.toMatchObject({ type: STALE });
    expect(names()).toEqual(['workers-a']);
  });

  test('are not made for a MachineSet that is gone', async () => {
    await aSet(1, { uid: 'other' });
    await expect(activities.makeMachines({ set: SET, names: ['workers-a'] })).rejects.toMatchObject({ type: STALE });
    expect(names()).toEqual([]);
  });

  test('are adopted when nobody controls them, and keep their other owners', async () => {
    await aSet(1);
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x-uid' };
    await post('machines', 'free', { labels: { set: 'workers' }, ownerReferences: [other] });
    const order = { set: SET, machine: { name: 'free', uid: 'free-uid' } };
    for (const _ of ['first', 'again']) await activities.adoptMachine(order);
    expect(objects.all().get(`${ROOT}/machines/free`)).toMatchObject({ metadata: { ownerReferences: [other, OWNER] } });
  });

  test.each([
    ['of another controller', { labels: { set: 'workers' }, ownerReferences: [{ ...OWNER, uid: 'other' }] }],
    ['with other labels', { labels: { set: 'others' } }],
    ['that leave', { labels: { set: 'workers' }, deletionTimestamp: '2026-01-01T00:00:00Z' }],
    ['that were made anew', { labels: { set: 'workers' }, uid: 'other' }],
  ])('are not adopted: those %s', async (_, metadata) => {
    await aSet(1);
    await post('machines', 'free', metadata);
    const before = objects.all().get(`${ROOT}/machines/free`);
    await activities.adoptMachine({ set: SET, machine: { name: 'free', uid: 'free-uid' } });
    expect(objects.all().get(`${ROOT}/machines/free`)).toEqual(before);
  });

  test('are not adopted for a MachineSet that is gone', async () => {
    await aSet(1, { uid: 'other' });
    await post('machines', 'free', { labels: { set: 'workers' } });
    const order = { set: SET, machine: { name: 'free', uid: 'free-uid' } };
    await expect(activities.adoptMachine(order)).rejects.toMatchObject({ type: STALE });
  });

  test('are deleted when there are too many', async () => {
    await aSet(1);
    await aMachine('workers-a');
    await aMachine('workers-b');
    const machine = { name: 'workers-a', uid: 'workers-a-uid' };
    await activities.deleteSurplus({ set: SET, machine });
    expect(names()).toEqual(['workers-b']);
    await expect(activities.deleteSurplus({ set: SET, machine })).resolves.toBeUndefined();
  });

  test('are not deleted when there are not too many, and those of others never', async () => {
    await aSet(1);
    await aMachine('workers-a');
    await aMachine('workers-b', false);
    const order = (name: string) => ({ set: SET, machine: { name, uid: `${name}-uid` } });
    await expect(activities.deleteSurplus(order('workers-a'))).rejects.toMatchObject({ type: STALE });
    await activities.deleteSurplus(order('workers-b'));
    expect(names()).toEqual(['workers-a', 'workers-b']);
  });
});
