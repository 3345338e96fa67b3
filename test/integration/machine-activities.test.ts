import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createKubernetesActivities } from '../../activities/kubernetes/activities.ts';
import { MACHINE_FINALIZER } from '../../api/metal3machine/kind.ts';
import type { HostFacts } from '../../domain/machine/choose-host/host-facts.ts';
import type { HostAnswer } from '../../domain/machine/memory/step.ts';
import { connectKube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, hostPath, objectPath, secretPath } from '../../kube/paths.ts';
import { forbid, named, unchanged, untilForbidden } from '../builders/policy.ts';
import { serveKinds } from '../builders/throw-away-kinds.ts';
import { accountsOf } from './accounts.ts';

const kube = connectKube(inject('kubeconfig'));
const namespace = `machines-${randomBytes(4).toString('hex')}`;
const activities = createKubernetesActivities({ kube, defaultArchitecture: 'x86_64' });

beforeAll(async () => {
  await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
  await serveKinds(kube, [KINDS.cluster]);
});
afterAll(async () => {
  await kube.close();
});

const machine = { namespace, name: 'm3m-1' };
const machinePath = objectPath(KINDS.metal3Machine, machine);
const IMAGE = { url: 'http://a/b', checksum: 'x' };
const PAUSED = 'baremetalhost.metal3.io/paused';
const createCluster = (name: string, spec: object): Promise<unknown> => {
  const { apiVersion, kind } = KINDS.cluster;
  const body = { apiVersion, kind, metadata: { name }, spec };
  return kube.request({ method: 'POST', path: collectionPath(KINDS.cluster, namespace), body });
};
async function createMachine(spec: object = { image: IMAGE }): Promise<void> {
  const { apiVersion, kind } = KINDS.metal3Machine;
  const metadata = { name: machine.name, finalizers: ['example.com/x', MACHINE_FINALIZER] };
  const body = { apiVersion, kind, metadata, spec };
  await kube.request({ method: 'POST', path: collectionPath(KINDS.metal3Machine, namespace), body });
}
/** Starts the deletion of the machine, which its finalizer keeps from ending. */
const deleteMachine = (): Promise<unknown> => kube.request({ method: 'DELETE', path: machinePath });
const removeMachine = async (): Promise<void> => {
  await deleteMachine();
  await kube.patch(machinePath, { metadata: { finalizers: null } });
};
const stale = (message: string) => ({ type: 'Stale', nonRetryable: true, message });
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
  beforeAll(() => createMachine());
  afterAll(removeMachine);
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
  test('of which it is the consumer already brings consumer and labels up to date', async () => {
    const consumerRef = { ...CONSUMER, apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1' };
    const host = await aHost('own-already', { spec: { consumerRef } });
    await aSecret('own-already-bmc', { username: 'a' });
    expect(hostIn(await take(host))).toMatchObject({ consumer: CONSUMER, labels: { [CLUSTER]: 'test1' } });
    expect(await labelsOfSecret('own-already-bmc')).toEqual({ [CLUSTER]: 'test1' });
    const labelled = await aHost('labelled', { metadata: { labels: { [CLUSTER]: 'test1' } }, spec: { consumerRef } });
    expect(hostIn(await take(labelled)).consumer).toEqual(CONSUMER);
  });
  test('leaves one alone that another has, that is kept for others, or that is deleted', async () => {
    const other = { ...CONSUMER, name: 'm3m-2' };
    const taken = await aHost('taken', { spec: { consumerRef: other } });
    expect(await take(taken)).toEqual({ kind: 'taken', by: other });
    const kept = await aHost('kept-for-others', { metadata: { labels: { [REUSE]: 'md-b' } } });
    expect(await take(kept, 'md-a')).toEqual({ kind: 'taken', by: null, why: 'is reserved for other machines' });
    const going = await aHost('going', { metadata: { finalizers: ['example.com/x'] } });
    await kube.request({ method: 'DELETE', path: hostPath(going) });
    expect(await take(going)).toEqual({ kind: 'taken', by: null, why: 'is being deleted' });
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
  test('of another namespace changes nothing', async () => {
    const host = { ...(await aHost('of-others')), namespace: 'default' };
    await expect(take(host)).rejects.toMatchObject(
      stale(`Metal3Machine ${namespace}/m3m-1 can't have BareMetalHost default/of-others of another namespace`),
    );
  });
  test('for a machine that is not there, that lacks its finalizer, or that is being deleted, changes nothing', async () => {
    const host = await aHost('for-nobody');
    const forged = { host, machine: { namespace, name: 'forged' }, clusterName: 'test1' };
    await expect(activities.takeHost(forged)).rejects.toMatchObject(
      stale('claim or change a host: Metal3Machine forged: it does not exist'),
    );
    await kube.patch(machinePath, { metadata: { finalizers: ['example.com/x'] } });
    await expect(take(host)).rejects.toMatchObject(
      stale('claim or change a host: Metal3Machine m3m-1: it lacks its finalizer'),
    );
    await deleteMachine();
    await expect(take(host)).rejects.toMatchObject(
      stale('claim or change a host: Metal3Machine m3m-1: it is being deleted'),
    );
    expect(await read('for-nobody')).not.toHaveProperty(['spec', 'consumerRef']);
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
      await accounts.bind(namespace, account, 'back-reader', {
        apiGroups: [...apiGroups, 'infrastructure.cluster.x-k8s.io'],
        resources: [...both, 'metal3machines'],
        verbs: ['get'],
      });
      await accounts.bind(namespace, account, `back-${account}`, { apiGroups, resources: [patched], verbs: ['patch'] });
      const theirs = connectKube(await accounts.kubeconfigOf(await accounts.tokenOf(namespace, account)));
      const cut = createKubernetesActivities({ kube: theirs, defaultArchitecture: 'x86_64' });
      await expect(cut.giveHostBack({ host, machine, clusterName: 'test1' })).rejects.toThrow('is forbidden');
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
  test('of a host with an image changes nothing: etcd was restored after it was removed', async () => {
    const image = { url: 'http://a/b', checksum: 'x' };
    const host = await aHost('with-image', { ...own, spec: { ...own.spec, image } });
    await expect(activities.giveHostBack({ host, machine, clusterName: 'test1' })).rejects.toMatchObject(
      stale('release a host: with-image is still in use'),
    );
    expect(await read('with-image')).toMatchObject({ spec: { consumerRef: CONSUMER } });
  });
  test('of a machine that is not being deleted changes nothing', async () => {
    const host = await aHost('kept-by-machine', own);
    await createMachine();
    await expect(activities.giveHostBack({ host, machine, clusterName: 'test1' })).rejects.toMatchObject(
      stale('release a host or data: Metal3Machine m3m-1: it is not being deleted'),
    );
    await removeMachine();
    expect(await read('kept-by-machine')).toMatchObject({ spec: { consumerRef: CONSUMER } });
  });
});

describe('a policy that forbids labels and annotations', () => {
  const MESSAGE = 'metadata are our business';
  const refused: unknown = expect.stringContaining(MESSAGE);
  beforeAll(async () => {
    const allows = named('strict', `${unchanged('labels')} && ${unchanged('annotations')}`);
    const resources = ['secrets', 'baremetalhosts'];
    await forbid(kube, { namespace, name: 'strict', resources, allows, message: MESSAGE });
    const host = await aHost('strict-probe');
    await aSecret('strict-probe', { a: 'b' });
    for (const path of [hostPath(host), secretPath(host)]) await untilForbidden(kube, path);
  });

  test('keeps no machine from its host, and is reported', async () => {
    const host = await aHost('strict-take');
    await aSecret('strict-take-bmc', { username: 'a' });
    await createMachine();
    const answer = await activities.takeHost({ host, machine, clusterName: 'test1' });
    await removeMachine();
    expect(answer).toMatchObject({ kind: 'host', host: { consumer: CONSUMER, labels: {} }, refused });
    expect(await labelsOfSecret('strict-take-bmc')).toEqual({});
  });

  test('keeps no host from being released, and is reported', async () => {
    const labels = { [CLUSTER]: 'test1' };
    const annotations = { 'clusterctl.cluster.x-k8s.io/block-move': '' };
    const host = await aHost('strict-back', { metadata: { labels, annotations }, spec: { consumerRef: CONSUMER } });
    await aSecret('strict-back-bmc', { username: 'a' }, labels);
    const answer = await activities.giveHostBack({ host, machine, clusterName: 'test1' });
    expect(answer).toMatchObject({ kind: 'host', refused });
    expect(await read('strict-back')).not.toHaveProperty(['spec', 'consumerRef']);
    expect(await labelsOfSecret('strict-back-bmc')).toEqual(labels);
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
    const unpause = (clusterName: string) => activities.unpauseHost({ host, machine, clusterName });
    await createCluster('other', { paused: false });
    expect(hostIn(await unpause('other')).paused).toBe('metal3.io/capm3');
    await createCluster('test1', { paused: true });
    await expect(unpause('test1')).rejects.toMatchObject(stale('unpause a host: Cluster test1 is paused'));
    await expect(unpause('gone')).rejects.toMatchObject(stale('unpause a host: Cluster gone does not exist'));
    expect(await read('pause')).toHaveProperty(['metadata', 'annotations', PAUSED], 'metal3.io/capm3');
    await kube.patch(objectPath(KINDS.cluster, { namespace, name: 'test1' }), { spec: { paused: false } });
    expect(hostIn(await unpause('test1'))).not.toHaveProperty('paused');
  });
  test('keeps the pause of a user, and gets no status annotation', async () => {
    const annotations = { 'baremetalhost.metal3.io/paused': 'mine', 'clusterctl.cluster.x-k8s.io/block-move': '' };
    const host = await aHost('pause-mine', { ...own, metadata: { annotations } });
    expect(hostIn(await activities.pauseHost({ host, machine }))).toMatchObject({ paused: 'mine', blocksMove: false });
    expect(await read('pause-mine')).not.toHaveProperty(['metadata', 'annotations', 'baremetalhost.metal3.io/status']);
    await createCluster('test2', { paused: false });
    expect(hostIn(await activities.unpauseHost({ host, machine, clusterName: 'test2' })).paused).toBe('mine');
  });
  test('is changed as its machine wants it, in its own words, and cleared again', async () => {
    const host = await aHost('change', own);
    const image = { url: 'http://a/b', checksum: 'x', checksumType: 'md5', diskFormat: 'qcow2' } as const;
    const change = { image, userData: { name: 'u', namespace }, online: true, automatedCleaningMode: 'disabled' };
    await createMachine({ image, userData: { name: 'u' }, automatedCleaningMode: 'disabled' });
    expect(hostIn(await activities.changeHost({ host, machine, change }))).toMatchObject({
      hasImage: true,
      online: true,
    });
    const { diskFormat: format, ...rest } = image;
    expect(await read('change')).toMatchObject({ spec: { image: { ...rest, format }, userData: { name: 'u' } } });
    const cleared = { image: null, userData: null, online: false } as const;
    await expect(activities.changeHost({ host, machine, change: cleared })).rejects.toMatchObject({ type: 'Stale' });
    await removeMachine();
    const facts = hostIn(await activities.changeHost({ host, machine, change: cleared }));
    expect(facts).toMatchObject({ hasImage: false, online: false });
    expect(facts).not.toHaveProperty('userData');
    await expect(activities.changeHost({ host, machine, change: { image: IMAGE } })).rejects.toMatchObject({
      type: 'Stale',
    });
    await createMachine();
    await activities.changeHost({ host, machine, change: { image: IMAGE } });
    expect(await read('change')).toMatchObject({ spec: { image: IMAGE } });
    await removeMachine();
  });
  test('gets nothing for which its machine does not ask, and keeps its image', async () => {
    const host = await aHost('change-forged', own);
    await createMachine();
    const evil = { ...IMAGE, url: 'http://evil/x' };
    for (const change of [{ image: evil }, { image: IMAGE, userData: { name: 'admin', namespace } }])
      await expect(activities.changeHost({ host, machine, change })).rejects.toMatchObject({ type: 'Stale' });
    expect(await read('change-forged')).not.toHaveProperty(['spec', 'image']);
    const used = await aHost('change-used', { spec: { ...own.spec, image: evil } });
    await activities.changeHost({ host: used, machine, change: { image: IMAGE, online: true } });
    expect(await read('change-used')).toMatchObject({ spec: { image: evil, online: true } });
    await removeMachine();
  });
  test('without a consumer is neither filled nor cleared', async () => {
    const host = await aHost('change-nobodys', { spec: { image: IMAGE, online: true } });
    const order = { host, machine: { namespace, name: 'nobody' }, change: { image: null, online: false } };
    expect(await activities.changeHost(order)).toEqual({ kind: 'taken', by: null });
    expect(await read('change-nobodys')).toMatchObject({ spec: { image: IMAGE, online: true } });
  });
  test('that the API server refuses to change is reported, and not tried again', async () => {
    const host = await aHost('change-refused', own);
    const change = { online: 'spotless' as unknown as boolean };
    const refusal = {
      type: 'ApiServerRefused',
      nonRetryable: true,
      message: expect.stringContaining('spec.online') as unknown,
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
