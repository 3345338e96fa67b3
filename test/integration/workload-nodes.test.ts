import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createWorkloadClusters } from '../../activities/workload/clusters.ts';
import { createWorkloadActivities } from '../../activities/workload/nodes.ts';
import type { LinkOrder } from '../../domain/machine/memory/link.ts';
import { connectKube } from '../../kube/client.ts';
import { nodePath, secretPath } from '../../kube/paths.ts';
import { anyLinkOrder } from '../builders/link-order.ts';

const kube = connectKube(inject('kubeconfig'));
const namespace = `nodes-${randomBytes(4).toString('hex')}`;
const machine = { namespace, name: 'm3m-1' };
const clusters = createWorkloadClusters(kube, { NO_PROXY: '', WORKLOAD_CLUSTER_PROXIES: [] });
const ending = new AbortController();
const { activities: workload } = createWorkloadActivities({
  clusters,
  intervalMs: 100,
  currentCall: () => ({ signal: ending.signal }),
});

beforeAll(async () => {
  await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
});
afterAll(async () => {
  await clusters.close();
  await kube.close();
});

/** Makes the Secret of the kubeconfig with the given text. */
async function createKubeconfig(value: string): Promise<void> {
  const path = secretPath({ namespace, name: '' }).replace(/\/$/, '');
  const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'test1-kubeconfig' }, stringData: { value } };
  await kube.request({ method: 'POST', path, body });
}

describe('the Nodes of a workload cluster', () => {
  const suffix = randomBytes(4).toString('hex');
  const order = (change: Partial<LinkOrder> = {}): LinkOrder =>
    anyLinkOrder({
      cluster: { namespace, name: 'test1' },
      host: { name: 'host-1', uid: `uid-${suffix}` },
      machine,
      ...change,
    });
  const name = `node-${suffix}`;
  const aNode = (labels: object): Promise<unknown> =>
    kube.request({
      method: 'POST',
      path: nodePath(),
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } },
    });
  const absent = (why: string) => {
    const message = `failed to set ProviderID on Metal3Machine based on Node label: ${why}`;
    return { kind: 'node', answer: { kind: 'absent', reason: 'CreateError', message } };
  };

  test('can not be read without a kubeconfig, with an invalid one, and with one of an unreachable server', async () => {
    expect(await workload.findNode(order())).toEqual(
      absent(
        `error creating a remote client: failed to retrieve kubeconfig secret for Cluster "test1" in namespace "${namespace}": secrets "test1-kubeconfig" not found`,
      ),
    );
    await createKubeconfig('clusters: [');
    expect(await workload.findNode(order())).toEqual(absent('the kubeconfig of cluster test1 is invalid'));
    const value = (await readFile(inject('kubeconfig'), 'utf8')).replace(/server: .*/, 'server: https://127.0.0.1:1');
    await kube.patch(secretPath({ namespace, name: 'test1-kubeconfig' }), { stringData: { value } });
    expect(await workload.findNode(order())).toEqual(absent('the API server of cluster test1 is unreachable'));
  });
  test('are waited for, found by their label and given their providerID', async () => {
    const value = await readFile(inject('kubeconfig'), 'utf8');
    await kube.patch(secretPath({ namespace, name: 'test1-kubeconfig' }), { stringData: { value } });
    const first = await workload.findNode(order());
    if (first.answer.kind !== 'absent') throw new Error('there is such a Node');
    const waiting = workload.awaitNode({ order: order(), knownProblem: first.answer.message });
    await aNode({ 'metal3.io/uuid': `uid-${suffix}`, 'a.example.com/x': '1', 'b.example.com/y': '2' });
    const providerID = `metal3://${namespace}/host-1/m3m-1`;
    expect(await waiting).toMatchObject({ answer: { kind: 'linked', node: name, providerID } });
    expect(await kube.request({ path: nodePath(name) })).toMatchObject({ spec: { providerID } });
    expect(await workload.findNode(order({ providerID }))).toMatchObject({ answer: { kind: 'linked', write: false } });
  });
  test('get the labels of their hosts', async () => {
    const labels = { 'a.example.com/z': '3' };
    await workload.syncNodeLabels({
      cluster: { namespace, name: 'test1' },
      node: name,
      prefixes: ['a.example.com'],
      labels,
    });
    expect(await kube.request({ path: nodePath(name) })).toMatchObject({
      metadata: { labels: { 'a.example.com/z': '3', 'b.example.com/y': '2' } },
    });
    expect(await kube.request({ path: nodePath(name) })).not.toHaveProperty(['metadata', 'labels', 'a.example.com/x']);
  });
  test('are no longer waited for after a cancellation', async () => {
    const waiting = workload.awaitNode({ order: order({ host: { name: 'x', uid: 'x' } }), knownProblem: '' });
    await expect(waiting).resolves.toMatchObject({ answer: { kind: 'absent' } });
    const { answer } = await waiting;
    const forever = workload.awaitNode({
      order: order({ host: { name: 'x', uid: 'x' } }),
      knownProblem: answer.kind === 'absent' ? answer.message : '',
    });
    ending.abort(new Error('enough'));
    await expect(forever).rejects.toThrow('aborted');
  });
});
