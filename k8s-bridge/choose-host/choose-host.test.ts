import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectKubeconfig } from '../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { mayClaim } from '../bindings/machine.ts';
import { ownObjects } from '../watch/own-objects.ts';
import { createChooseHost } from './choose-host.ts';
import type { HostChoice } from './host-choice.ts';

/** No request is made for machines without owners. */
const NOWHERE = JSON.stringify({
  clusters: [{ name: 'a', cluster: { server: 'http://127.0.0.1:9' } }],
  users: [{ name: 'a', user: {} }],
  contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  'current-context': 'a',
});
const REUSE = 'infrastructure.cluster.x-k8s.io/node-reuse';

let store: Store;
let told: string[];
let choice: HostChoice;

beforeEach(() => {
  store = createStore();
  store.markComplete();
  told = [];
  choice = createChooseHost({
    kube: connectKubeconfig(NOWHERE),
    store,
    choosing: [
      {
        followed: KINDS.metal3Machine,
        machines: ownObjects({ followed: KINDS.metal3Machine }, store, ''),
        mayClaim,
        look: (key) => told.push(key),
      },
      {
        followed: KINDS.openShiftMachine,
        machines: ownObjects({ followed: KINDS.openShiftMachine }, store, ''),
        mayClaim: () => true,
        look: (key) => told.push(`openshift ${key}`),
      },
    ],
  });
});
afterEach(() => choice.stop());

const identity = (name: string) => ({ namespace: 'metal', name, uid: `${name}-uid`, resourceVersion: '7' });
const put = (kind: FollowedKind, name: string, metadata: object = {}): void =>
  store.put(kind, { ...identity(name), object: { metadata: { ...identity(name), ...metadata } } });
const remove = (kind: FollowedKind, name: string): void => store.remove(kind, `metal/${name}`);
/** Available, and reserved for machines of this Cluster. */
function putKept(name: string, cluster: object): void {
  const object = {
    metadata: { ...identity(name), labels: { [REUSE]: 'md-workers' } },
    spec: { consumerRef: { kind: 'Cluster', apiVersion: 'cluster.x-k8s.io/v1beta2', namespace: 'metal', ...cluster } },
    status: { provisioning: { state: 'available' } },
  };
  store.put(KINDS.host, { ...identity(name), object });
}
/** The host for a machine of another Cluster, or why there is none. */
async function asks(): Promise<string> {
  put(KINDS.metal3Machine, 'm1');
  const machine = { ...identity('m1'), creationTimestamp: '2026-01-01T00:00:00Z' };
  const order = { machine, clusterName: 'other', criteria: {}, owner: {}, refused: [] };
  const answer = await choice.activities.chooseHost(order);
  return answer.kind === 'chosen' ? answer.host.name : answer.kind === 'no host' ? answer.reason : answer.message;
}
const GOING = { deletionTimestamp: '2026-01-02T00:00:00Z' };

describe('a host that is kept for machines of a Cluster', () => {
  test('stays reserved while its Cluster exists, or is moved elsewhere', async () => {
    put(KINDS.cluster, 'test1');
    putKept('a', { name: 'test1' });
    expect(await asks()).toBe('1 host: 1 reserved for other machines');
    put(KINDS.cluster, 'test1', { ...GOING, annotations: { 'clusterctl.cluster.x-k8s.io/delete-for-move': '' } });
    remove(KINDS.cluster, 'test2');
    expect(told).toEqual([]);
    expect(await asks()).toBe('1 host: 1 reserved for other machines');
  });
  test('goes to others once that is gone, and who waits hears of it', async () => {
    put(KINDS.cluster, 'test1');
    putKept('a', { name: 'test1' });
    await asks();
    remove(KINDS.cluster, 'test1');
    expect(told).toEqual(['metal/m1']);
    expect(await asks()).toBe('a');
  });
  test('goes to others as soon as that is being deleted', async () => {
    put(KINDS.cluster, 'test1');
    putKept('a', { name: 'test1' });
    await asks();
    put(KINDS.cluster, 'test1', GOING);
    expect(told).toEqual(['metal/m1']);
    expect(await asks()).toBe('a');
  });
  test('stays kept where nothing is known of that', async () => {
    for (const [name, cluster] of Object.entries({
      a: { name: 'x', namespace: 'other' },
      b: { name: 'x', apiVersion: 'example.com/v1' },
      c: { name: 'x', apiVersion: undefined },
    })) {
      putKept(name, cluster);
    }
    expect(await asks()).toBe('3 hosts: 3 reserved for other machines');
  });
});

test('Machines of the Machine API wait beside Metal3Machines of their name, and each hears of its own host', async () => {
  put(KINDS.metal3Machine, 'm1');
  put(KINDS.openShiftMachine, 'm1');
  const machine = { ...identity('m1'), creationTimestamp: '2026-01-01T00:00:00Z' };
  const order = { clusterName: '', criteria: {}, owner: {}, refused: [] };
  await choice.activities.chooseHost({ ...order, machine });
  await choice.activities.chooseHost({ ...order, machine: { ...machine, api: KINDS.openShiftMachine.apiVersion } });
  const putFree = (name: string): void =>
    store.put(KINDS.host, {
      ...identity(name),
      object: { metadata: identity(name), status: { provisioning: { state: 'available' } } },
    });
  putFree('a');
  putFree('b');
  expect(told.toSorted()).toEqual(['metal/m1', 'openshift metal/m1']);
  remove(KINDS.openShiftMachine, 'm1');
  expect(choice.newsOf('machine.openshift.io/v1beta1:metal/m1').count).toBe(0);
  expect(choice.newsOf('metal/m1').count).toBe(1);
});
