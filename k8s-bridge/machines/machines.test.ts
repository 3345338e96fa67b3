import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectKubeconfig } from '../../kube/client.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { KINDS } from '../../kube/kinds.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../entities/binding.ts';
import type { HostEntry } from '../watch.ts';
import { createMachines } from './machines.ts';

/** Not a request is made for machines without owners. */
const NOWHERE = JSON.stringify({
  clusters: [{ name: 'a', cluster: { server: 'http://127.0.0.1:9' } }],
  users: [{ name: 'a', user: {} }],
  contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  'current-context': 'a',
});
const REUSE = 'infrastructure.cluster.x-k8s.io/node-reuse';

let objects: Map<string, Entry>;
let hosts: Map<string, HostEntry>;
let told: string[];
let machines: ReturnType<typeof createMachines>;

beforeEach(() => {
  objects = new Map();
  hosts = new Map();
  told = [];
  machines = createMachines({
    kube: connectKubeconfig(NOWHERE),
    config: { PROVIDER_ID_FORMAT: 'names', CAPM3_FAST_TRACK: false, LABEL_SWEEP_INTERVAL: 1_000, WATCH_FILTER: '' },
    stores: () => ({
      get: (kind, key) => objects.get(`${kind.kind}:${key}`),
      values: () => [],
      host: (key) => hosts.get(key),
      hosts: () => [...hosts.values()],
      hasSecret: () => false,
      complete: true,
    }),
    hosts: () => [...hosts.values()],
    tell: (key) => told.push(key),
    log: pino({ level: 'silent' }),
  });
});
afterEach(() => machines.stop());

const identity = (name: string) => ({ namespace: 'metal', name, uid: `${name}-uid`, resourceVersion: '7' });
function put(kind: FollowedKind, name: string, metadata: object = {}): void {
  const entry = { ...identity(name), object: { metadata: { ...identity(name), ...metadata } } };
  objects.set(`${kind.kind}:${keyOf(entry)}`, entry);
  machines.objectChanged(kind, entry);
}
function remove(kind: FollowedKind, name: string): void {
  objects.delete(`${kind.kind}:metal/${name}`);
  machines.objectChanged(kind, undefined);
}
/** Available, and kept for machines of this Cluster. */
function putKept(name: string, cluster: object): void {
  const object = {
    metadata: { ...identity(name), labels: { [REUSE]: 'md-workers' } },
    spec: { consumerRef: { kind: 'Cluster', apiVersion: 'cluster.x-k8s.io/v1beta2', namespace: 'metal', ...cluster } },
    status: { provisioning: { state: 'available' } },
  };
  const entry = { ...identity(name), secrets: [], object };
  hosts.set(keyOf(entry), entry);
  machines.hostChanged(entry, undefined);
}
/** What a machine of another Cluster gets, or why it gets nothing. */
async function asks(): Promise<string> {
  put(KINDS.metal3Machine, 'm1');
  const machine = { ...identity('m1'), creationTimestamp: '2026-01-01T00:00:00Z' };
  const order = { machine, clusterName: 'other', criteria: {}, owner: {}, refused: [] };
  const answer = await machines.activities.chooseHost(order);
  return answer.kind === 'chosen' ? answer.host.name : answer.kind === 'no host' ? answer.reason : answer.message;
}
const GOING = { deletionTimestamp: '2026-01-02T00:00:00Z' };

describe('a host that is kept for machines of a Cluster', () => {
  test('stays kept as long as that is there, or moves elsewhere', async () => {
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
