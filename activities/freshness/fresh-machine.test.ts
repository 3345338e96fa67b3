import { afterEach, expect, test } from 'vitest';
import type { LabelOrder } from '../../domain/machine/memory/step.ts';
import { type ApiServerOf, apiServerOf } from '../../test/builders/api-server-of.ts';
import { anyLinkOrder } from '../../test/builders/link-order.ts';
import { STALE } from '../../workflows/messages.ts';
import { freshMachine } from './fresh-machine.ts';

/** The activities of a machine m3m-1 of Cluster test1, whose Node is node-1; `called` are those that go on. */
let server: ApiServerOf | undefined;
afterEach(async () => server?.close());
const called: string[] = [];
const INFRASTRUCTURE = '/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/metal/metal3machines';
const MACHINES = '/apis/cluster.x-k8s.io/v1beta2/namespaces/metal/machines';
const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'machine-1', uid: 'm-uid' };

async function activities({ cluster = 'test1', label = '', workflowId = 'metal3machine/metal/m3m-1' } = {}) {
  called.length = 0;
  const labels = { 'cluster.x-k8s.io/cluster-name': cluster };
  const own = { 'cluster.x-k8s.io/cluster-name': label || cluster };
  server = await apiServerOf({
    [`${INFRASTRUCTURE}/m3m-1`]: {
      metadata: { namespace: 'metal', name: 'm3m-1', labels: own, ownerReferences: [owner] },
    },
    [`${MACHINES}/machine-1`]: {
      metadata: { namespace: 'metal', name: 'machine-1', uid: 'm-uid', labels },
      spec: { clusterName: cluster },
      status: { nodeRef: { name: 'node-1' } },
    },
  });
  const answer = { kind: 'node', answer: { kind: 'absent', reason: 'CreateError', message: '' } } as const;
  const going = (name: string) => () => {
    called.push(name);
    return Promise.resolve(answer);
  };
  const inner = {
    findNode: going('findNode'),
    awaitNode: going('awaitNode'),
    syncNodeLabels: async () => void called.push('syncNodeLabels'),
  };
  return freshMachine(inner, { kube: server.kube, currentCall: () => ({ workflowId }) });
}
const CLUSTER = { namespace: 'metal', name: 'test1' };
const LABELS: LabelOrder = { cluster: CLUSTER, node: 'node-1', prefixes: ['a.example.com'], labels: {} };

test('a machine looks for its Node, and labels it, in the workload cluster that it belongs to', async () => {
  const machine = await activities();
  await machine.findNode(anyLinkOrder());
  await machine.awaitNode({ order: anyLinkOrder(), knownProblem: '' });
  await machine.syncNodeLabels(LABELS);
  expect(called).toEqual(['findNode', 'awaitNode', 'syncNodeLabels']);
});

test.each([
  ['does not exist', { machine: { namespace: 'metal', name: 'other' } }],
  ['is of another namespace', { machine: { namespace: 'other', name: 'm3m-1' } }],
  ['belongs to another Cluster', { cluster: { namespace: 'metal', name: 'theirs' } }],
  ['has the Cluster of another namespace', { cluster: { namespace: 'theirs', name: 'test1' } }],
])('no Node is looked for on behalf of a machine that %s', async (_, change) => {
  const machine = await activities();
  const order = anyLinkOrder(change);
  await expect(machine.findNode(order)).rejects.toMatchObject({ type: STALE, nonRetryable: true });
  await expect(machine.awaitNode({ order, knownProblem: '' })).rejects.toMatchObject({ type: STALE });
  expect(called).toEqual([]);
});

test('a machine belongs to the Cluster of its Machine, whatever its own label says', async () => {
  const machine = await activities({ cluster: 'theirs', label: 'test1' });
  await expect(machine.findNode(anyLinkOrder())).rejects.toMatchObject({ type: STALE });
  expect(called).toEqual([]);
});

test.each([
  ['of another machine', {}, { node: 'node-2' }],
  ['of another Cluster', {}, { cluster: { namespace: 'metal', name: 'theirs' } }],
  ['for a run that is no machine', { workflowId: 'made-up' }, {}],
])('no Node %s is labelled', async (_, scene, change) => {
  const machine = await activities(scene);
  await expect(machine.syncNodeLabels({ ...LABELS, ...change })).rejects.toMatchObject({ type: STALE });
  expect(called).toEqual([]);
});
