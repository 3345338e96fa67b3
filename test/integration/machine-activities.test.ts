import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createKubernetesActivities } from '../../activities/kubernetes/activities.ts';
import { createWorkloadClusters } from '../../activities/workload/clusters.ts';
import { createWorkloadActivities } from '../../activities/workload/nodes.ts';
import type { HostFacts } from '../../domain/machine/choose-host/host-facts.ts';
import type { LinkOrder } from '../../domain/machine/memory/link.ts';
import type { HostAnswer } from '../../domain/machine/memory/step.ts';
import { connectKube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, hostPath, nodePath, objectPath, secretPath } from '../../kube/paths.ts';
import { accountsOf } from './accounts.ts';

const kube = connectKube(inject('kubeconfig'));
const namespace = `machines-${randomBytes(4).toString('hex')}`;
const activities = createKubernetesActivities({ kube, defaultArchitecture: 'x86_64' });
const clusters = createWorkloadClusters(kube);
const ending = new AbortController();
const workload = createWorkloadActivities({
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

const machine = { namespace, name: 'm3m-1' };
const CONSUMER = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'Metal3Machine',
  name: 'm3m-1',
  namespace,
};
const CLUSTER = 'cluster.x-k8s.io/cluster-name';
const REUSE = 'infrastructure.cluster.x-k8s.io/node-reuse';

/** A host with the given differences, and its uid. */
async function aHost(name: string, { metadata = {}, spec = {} } = {}) {
  const body = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name, ...metadata },
    spec: { online: false, bmc: { address: '', credentialsName: `${name}-bmc` }, ...spec },
  };
  const made = await kube.request({ method: 'POST', path: hostPath({ namespace, name: '' }).replace(/\/$/, ''), body });
  return { namespace, name, uid: (made as { metadata: { uid: string } }).metadata.uid };
}
const read = (name: string): Promise<unknown> => kube.request({ path: hostPath({ namespace, name }) });
async function aSecret(name: string, stringData: Record<string, string>, labels = {}): Promise<void> {
  const path = secretPath({ namespace, name: '' }).replace(/\/$/, '');
  await kube.request({
    method: 'POST',
    path,
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels }, stringData },
  });
}
const labelsOfSecret = async (name: string): Promise<unknown> =>
  ((await kube.request({ path: secretPath({ namespace, name }) })) as { metadata: { labels?: object } }).metadata
    .labels ?? {};
const hostIn = (answer: HostAnswer): HostFacts => {
  if (answer.kind !== 'host' || answer.host === null) throw new Error(JSON.stringify(answer));
  return answer.host;
};

describe('taking a host', () => {
  const take = (host: Awaited<ReturnType<typeof aHost>>, reuse?: string): Promise<HostAnswer> =>
    activities.takeHost({ host, machine, clusterName: 'test1', ...(reuse !== undefined && { reuse }) });

  test('makes it the machine’s, labels it and the Secret of its BMC, and does nothing a second time', async () => {
    const host = await aHost('take');
    await aSecret('take-bmc', { username: 'a' });
    const first = hostIn(await take(host));
    expect(await read('take')).toMatchObject({
      metadata: { labels: { [CLUSTER]: 'test1' } },
      spec: { consumerRef: CONSUMER },
    });
    expect(await labelsOfSecret('take-bmc')).toEqual({ [CLUSTER]: 'test1' });
    expect(hostIn(await take(host)).resourceVersion).toBe(first.resourceVersion);
  });
  test('leaves one alone that another has, that is kept for others, or that is deleted', async () => {
    const other = { ...CONSUMER, name: 'm3m-2' };
    const taken = await aHost('taken', { spec: { consumerRef: other } });
    expect(await take(taken)).toEqual({ kind: 'taken', by: other });
    const kept = await aHost('kept-for-others', { metadata: { labels: { [REUSE]: 'md-b' } } });
    expect(await take(kept, 'md-a')).toEqual({ kind: 'taken', by: null });
    const going = await aHost('going', { metadata: { finalizers: ['example.com/x'] } });
    await kube.request({ method: 'DELETE', path: hostPath(going) });
    expect(await take(going)).toEqual({ kind: 'taken', by: null });
    await kube.patch(hostPath(going), { metadata: { finalizers: null } });
  });
  test('takes one that its Cluster keeps for machines like this one, and its label off it', async () => {
    const consumerRef = { kind: 'Cluster', name: 'test1', namespace, apiVersion: 'cluster.x-k8s.io/v1beta2' };
    const kept = await aHost('kept', { metadata: { labels: { [REUSE]: 'md-a' } }, spec: { consumerRef } });
    const facts = hostIn(await take(kept, 'md-a'));
    expect(facts).toMatchObject({ consumer: CONSUMER, labels: { [CLUSTER]: 'test1' } });
    expect(facts.labels).not.toHaveProperty([REUSE]);
  });
  test('knows that it is gone, or another of the same name', async () => {
    expect(await take({ namespace, name: 'nowhere', uid: 'x' })).toEqual({ kind: 'host', host: null });
    await aHost('anew');
    expect(await take({ namespace, name: 'anew', uid: 'x' })).toEqual({ kind: 'host', host: null });
  });
});

describe('giving a host back', () => {
  const own = { spec: { consumerRef: CONSUMER }, metadata: { labels: { [CLUSTER]: 'test1' } } };
  test('leaves nothing of the machine on it', async () => {
    const annotations = {
      'baremetalhost.metal3.io/paused': 'metal3.io/capm3',
      'clusterctl.cluster.x-k8s.io/block-move': '',
      mine: 'stays',
    };
    const host = await aHost('back', { ...own, metadata: { ...own.metadata, annotations } });
    await aSecret('back-bmc', { username: 'a' }, { [CLUSTER]: 'test1' });
    const facts = hostIn(await activities.giveHostBack({ host, machine, clusterName: 'test1' }));
    expect(facts).not.toHaveProperty('consumer');
    expect(await read('back')).toMatchObject({ metadata: { annotations: { mine: 'stays' } } });
    expect(await read('back')).not.toHaveProperty(['metadata', 'annotations', 'baremetalhost.metal3.io/paused']);
    expect(facts).toMatchObject({ blocksMove: false, labels: {} });
    expect(await labelsOfSecret('back-bmc')).toEqual({});
  });
  test('that did not get to its end leaves nothing of the machine on it the next time', async () => {
    const host = await aHost('back-twice', own);
    await aSecret('back-twice-bmc', { username: 'a' }, { [CLUSTER]: 'test1' });
    const accounts = accountsOf(kube, inject('kubeconfig'));
    const apiGroups = ['metal3.io', ''];
    const both = ['baremetalhosts', 'secrets'];
    for (const patched of both) {
      const account = `patches-${patched}`;
      await accounts.bind(namespace, account, 'back-reader', { apiGroups, resources: both, verbs: ['get'] });
      await accounts.bind(namespace, account, `back-${account}`, { apiGroups, resources: [patched], verbs: ['patch'] });
      const theirs = connectKube(await accounts.kubeconfigOf(await accounts.tokenOf(namespace, account)));
      const cut = createKubernetesActivities({ kube: theirs, defaultArchitecture: 'x86_64' });
      await expect(cut.giveHostBack({ host, machine, clusterName: 'test1' })).rejects.toThrow('403');
      await theirs.close();
    }
    expect(hostIn(await activities.giveHostBack({ host, machine, clusterName: 'test1' }))).toMatchObject({
      labels: {},
    });
    expect(await read('back-twice')).not.toHaveProperty(['spec', 'consumerRef']);
    expect(await labelsOfSecret('back-twice-bmc')).toEqual({});
  });
  test('leaves the pause of a user, and the label of another cluster', async () => {
    const annotations = { 'baremetalhost.metal3.io/paused': 'mine' };
    const host = await aHost('back-paused', { ...own, metadata: { labels: { [CLUSTER]: 'other' }, annotations } });
    const facts = hostIn(await activities.giveHostBack({ host, machine, clusterName: 'test1' }));
    expect(facts).toMatchObject({ paused: 'mine', labels: { [CLUSTER]: 'other' } });
  });
  test('leaves the host of another alone', async () => {
    const consumerRef = { ...CONSUMER, name: 'm3m-2' };
    const host = await aHost('not-ours', { spec: { consumerRef } });
    expect(hostIn(await activities.giveHostBack({ host, machine, clusterName: 'test1' })).consumer).toEqual(
      consumerRef,
    );
  });
  test('is done once it is gone', async () => {
    const host = { namespace, name: 'nowhere', uid: 'x' };
    expect(await activities.giveHostBack({ host, machine, clusterName: '' })).toEqual({ kind: 'host', host: null });
  });
});

describe('a host', () => {
  const own = { spec: { consumerRef: CONSUMER } };
  test('is marked for clusterctl unless it is paused', async () => {
    const host = await aHost('block', own);
    expect(hostIn(await activities.blockMove({ host, machine })).blocksMove).toBe(true);
    const annotations = { 'baremetalhost.metal3.io/paused': 'mine' };
    const paused = await aHost('block-not', { ...own, metadata: { annotations } });
    expect(hostIn(await activities.blockMove({ host: paused, machine })).blocksMove).toBe(false);
  });
  test('is paused with its status, without the hardware, in an annotation, and unblocked', async () => {
    const host = await aHost('pause', own);
    const status = {
      poweredOn: true,
      errorMessage: '',
      errorCount: 0,
      operationalStatus: 'OK',
      hardware: { hostname: 'a' },
      provisioning: { state: 'provisioned', ID: 'x', image: { url: '' } },
    };
    await kube.patch(`${hostPath(host)}/status`, { status });
    const facts = hostIn(await activities.pauseHost({ host, machine }));
    expect(facts).toMatchObject({ paused: 'metal3.io/capm3', blocksMove: false });
    const { annotations } = ((await read('pause')) as { metadata: { annotations: Record<string, string> } }).metadata;
    const { hardware: _, ...told } = status;
    const carried: unknown = JSON.parse(annotations['baremetalhost.metal3.io/status'] ?? '');
    expect(carried).toMatchObject(told);
    expect(carried).not.toHaveProperty('hardware');
    await kube.patch(hostPath(host), { metadata: { labels: { [CLUSTER]: 'test1' } } });
    const unpaused = hostIn(await activities.unpauseHost({ host, machine, clusterName: 'other' }));
    expect(unpaused.paused).toBe('metal3.io/capm3');
    expect(hostIn(await activities.unpauseHost({ host, machine, clusterName: 'test1' }))).not.toHaveProperty('paused');
  });
  test('keeps the pause of a user, and gets no status annotation', async () => {
    const annotations = { 'baremetalhost.metal3.io/paused': 'mine', 'clusterctl.cluster.x-k8s.io/block-move': '' };
    const host = await aHost('pause-mine', { ...own, metadata: { annotations } });
    expect(hostIn(await activities.pauseHost({ host, machine }))).toMatchObject({ paused: 'mine', blocksMove: false });
    expect(await read('pause-mine')).not.toHaveProperty(['metadata', 'annotations', 'baremetalhost.metal3.io/status']);
    expect(hostIn(await activities.unpauseHost({ host, machine, clusterName: 'test1' })).paused).toBe('mine');
  });
  test('is changed as its machine wants it, in its own words, and cleared again', async () => {
    const host = await aHost('change', own);
    const image = { url: 'http://a/b', checksum: 'x', checksumType: 'md5', diskFormat: 'qcow2' } as const;
    const change = { image, userData: { name: 'u', namespace }, online: true, automatedCleaningMode: 'disabled' };
    expect(hostIn(await activities.changeHost({ host, machine, change }))).toMatchObject({
      hasImage: true,
      online: true,
    });
    const { diskFormat: format, ...rest } = image;
    expect(await read('change')).toMatchObject({ spec: { image: { ...rest, format }, userData: { name: 'u' } } });
    const cleared = { image: null, userData: null, online: false } as const;
    const facts = hostIn(await activities.changeHost({ host, machine, change: cleared }));
    expect(facts).toMatchObject({ hasImage: false, online: false });
    expect(facts).not.toHaveProperty('userData');
    const plain = { url: 'http://a/c', checksum: 'x' };
    await activities.changeHost({ host, machine, change: { image: plain } });
    expect(await read('change')).toMatchObject({ spec: { image: plain } });
  });
  test('that the API server refuses to change is reported, and not tried again', async () => {
    const host = await aHost('change-refused', own);
    const change = { automatedCleaningMode: 'spotless' };
    const refusal = {
      type: 'ApiServerRefused',
      nonRetryable: true,
      message: expect.stringContaining('spotless') as unknown,
    };
    await expect(activities.changeHost({ host, machine, change })).rejects.toMatchObject(refusal);
  });
  test('of another machine is not changed', async () => {
    const consumerRef = { ...CONSUMER, name: 'm3m-2' };
    const host = await aHost('change-not', { spec: { consumerRef } });
    const answer = await activities.changeHost({ host, machine, change: { online: true } });
    expect(answer).toEqual({ kind: 'taken', by: consumerRef });
    expect(await read('change-not')).toMatchObject({ spec: { online: false } });
  });
});

describe('data of a machine', () => {
  const order = {
    machine: { namespace, name: 'm3m-data', uid: '' },
    labels: { [CLUSTER]: 'test1' },
    template: { namespace, name: 'tpl' },
  };
  // Objects without an existing owner are garbage-collected.
  beforeAll(async () => {
    const { apiVersion, plural } = KINDS.metal3Machine;
    const image = { url: 'http://image', checksum: 'http://sum' };
    const body = {
      apiVersion,
      kind: 'Metal3Machine',
      metadata: { name: order.machine.name },
      spec: { image },
    };
    const made = await kube.request({ method: 'POST', path: collectionPath({ apiVersion, plural }, namespace), body });
    order.machine.uid = (made as { metadata: { uid: string } }).metadata.uid;
  });
  const CLAIMS = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', plural: 'metal3dataclaims' };
  test('is requested once, owned by the machine, kept by its finalizer, and released', async () => {
    expect(await activities.requestData(order)).toEqual({ deleting: false, held: true });
    expect(await activities.requestData(order)).toEqual({ deleting: false, held: true });
    expect(await kube.request({ path: objectPath(CLAIMS, order.machine) })).toMatchObject({
      metadata: {
        labels: order.labels,
        finalizers: ['metal3machine.infrastructure.cluster.x-k8s.io'],
        ownerReferences: [{ kind: 'Metal3Machine', name: 'm3m-data', uid: order.machine.uid, controller: true }],
      },
      spec: { template: order.template },
    });
    expect(await activities.letDataGo(order.machine)).toBeNull();
    expect(await activities.letDataGo(order.machine)).toBeNull();
  });
  test('is deleted only when others remove their finalizers', async () => {
    await activities.requestData(order);
    const path = objectPath(CLAIMS, order.machine);
    const mine = 'metal3machine.infrastructure.cluster.x-k8s.io';
    await kube.patch(path, { metadata: { finalizers: [mine, 'example.com/x'] } });
    expect(await activities.letDataGo(order.machine)).toEqual({ deleting: true, held: false });
    await kube.patch(path, { metadata: { finalizers: null } });
  });
});

describe('the Nodes of a workload cluster', () => {
  const suffix = randomBytes(4).toString('hex');
  const order = (change: Partial<LinkOrder> = {}): LinkOrder => ({
    cluster: { namespace, name: 'test1' },
    host: { name: 'host-1', uid: `uid-${suffix}` },
    machine,
    providerID: '',
    format: 'names',
    cloudProvider: false,
    labelled: true,
    hostnames: [],
    ...change,
  });
  const name = `node-${suffix}`;
  const aNode = (labels: object): Promise<unknown> =>
    kube.request({
      method: 'POST',
      path: nodePath(),
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } },
    });
  const absent = (message: string) => ({ kind: 'node', answer: { kind: 'absent', reason: 'CreateError', message } });

  test('can not be read without a kubeconfig, with an invalid one, and with one of an unreachable server', async () => {
    expect(await workload.findNode(order())).toEqual(absent('cluster test1 has no kubeconfig yet'));
    await aSecret('test1-kubeconfig', { value: 'clusters: [' });
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
    const waiting = workload.awaitNode({ order: order(), told: first.answer.message });
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
    const waiting = workload.awaitNode({ order: order({ host: { name: 'x', uid: 'x' } }), told: '' });
    await expect(waiting).resolves.toMatchObject({ answer: { kind: 'absent' } });
    const { answer } = await waiting;
    const forever = workload.awaitNode({
      order: order({ host: { name: 'x', uid: 'x' } }),
      told: answer.kind === 'absent' ? answer.message : '',
    });
    ending.abort(new Error('enough'));
    await expect(forever).rejects.toThrow('aborted');
  });
});
