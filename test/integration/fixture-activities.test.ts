import { randomBytes } from 'node:crypto';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createFixtureActivities } from '../../activities/fixture/activities.ts';
import { forFreshHosts } from '../../activities/freshness/fresh-host.ts';
import type { IronicActivities } from '../../activities/ironic/activities.ts';
import { createHostData } from '../../activities/kubernetes/host/host-data.ts';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { UNDEPLOYING_ANNOTATION } from '../../api/baremetalhost/values.ts';
import { FIXTURE_HARDWARE } from '../../domain/fixture/hardware.ts';
import type { HostRef, NodeOrder, RegisterAnswer, RegisterOrder, WaitOrder } from '../../domain/ironic/orders.ts';
import { connectKube } from '../../kube/client.ts';
import { configMapPath, hardwareDataPath, hostPath, secretPath } from '../../kube/paths.ts';

/** The fixture's activities on a real API server, each call as from a newly started worker. */
const kube = connectKube(inject('kubeconfig'));
const namespace = `fixture-${randomBytes(4).toString('hex')}`;
const log = { info: () => {}, warn: () => {} };

beforeAll(async () => {
  await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
});
afterAll(() => kube.close());

function run<Name extends keyof IronicActivities>(
  name: Name,
  order: Parameters<IronicActivities[Name]>[0],
): ReturnType<IronicActivities[Name]> {
  const activities = createFixtureActivities({ kube, hostData: createHostData(kube, () => undefined), log });
  const environment = new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000 });
  const activity = activities[name] as (order: unknown) => Promise<unknown>;
  const answer: Promise<unknown> = environment.run(activity, order);
  return answer as ReturnType<IronicActivities[Name]>;
}

async function aHost(name: string, annotations: Record<string, string> = {}): Promise<HostRef> {
  return aHostIn(namespace, name, { annotations });
}

/** Host and Secret, both with these metadata. */
async function aHostIn(place: string, name: string, metadata: object): Promise<HostRef> {
  const body = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name, ...metadata },
    spec: { online: true },
  };
  const path = hostPath({ namespace: place, name: '' }).replace(/\/$/, '');
  const made = (await kube.request({ method: 'POST', path, body })) as BareMetalHost;
  const secret = {
    metadata: { ...metadata, name: `${name}-bmc` },
    stringData: { username: 'admin', password: 'secret' },
  };
  await kube.request({ method: 'POST', path: `/api/v1/namespaces/${place}/secrets`, body: secret });
  return { namespace: place, name, uid: made.metadata.uid ?? '' };
}

/** Asks for the deletion of an object, which a finalizer keeps. */
async function leave(path: string): Promise<void> {
  await kube.patch(path, { metadata: { finalizers: [KEPT] } });
  await kube.request({ method: 'DELETE', path });
}
const KEPT = 'test.example.com/kept';

const nodeOrder = (host: HostRef, nodeId = ''): NodeOrder => ({
  host,
  nodeId,
  bmc: { address: 'anything://goes', credentialsName: `${host.name}-bmc`, disableCertificateVerification: false },
  bootMode: 'UEFI',
  inspectionMode: 'agent',
  automatedCleaningMode: 'metadata',
  disablePowerOff: false,
});

const registerOrder = (host: HostRef, change: Partial<RegisterOrder> = {}): RegisterOrder => ({
  ...nodeOrder(host),
  credentialsChanged: false,
  retry: false,
  credentialsSeen: null,
  deleting: false,
  ...change,
});

const idOf = (answer: RegisterAnswer): string => (answer.kind === 'registered' ? answer.node.id : answer.kind);

/** A registered host, and the id of its machine, which is manageable. */
async function registered(name: string): Promise<{ host: HostRef; nodeId: string }> {
  const host = await aHost(name);
  const nodeId = idOf(await run('registerNode', registerOrder(host)));
  await run('waitForNode', { host, nodeId, until: 'rest' });
  return { host, nodeId };
}

const annotate = (name: string, annotations: Record<string, string | null>): Promise<unknown> =>
  kube.patch(hostPath({ namespace, name }), { metadata: { annotations } });

describe('the fixture', () => {
  test('says of a machine that is cleaned already that the cleaning was not requested now', async () => {
    const { host, nodeId } = await registered('cleaned');
    const targetRaid = { hardwareRAIDVolumes: [{ level: '1' as const }] };
    const order = { ...nodeOrder(host, nodeId), targetRaid, unprepared: true, retry: false };
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const cleaning = { state: 'clean wait', nextState: 'manageable', nextAt: later };
    await kube.patch(configMapPath({ namespace, name: nodeId }), { data: cleaning });
    expect(await run('prepareNode', order)).toMatchObject({ kind: 'started', alreadyRunning: true });
  });

  test('makes a machine of its own for each host, which claims its Secret, and which kubectl can show', async () => {
    const [one, other] = [await aHost('one'), await aHost('other')];
    const answers = [await run('registerNode', registerOrder(one)), await run('registerNode', registerOrder(other))];
    expect(answers.map(idOf)).toEqual([`temporary-fake-id-${one.uid}`, `temporary-fake-id-${other.uid}`]);
    expect(answers[0]).toMatchObject({ kind: 'registered', created: true, verifying: true });
    expect(await kube.find(configMapPath({ namespace, name: `temporary-fake-id-${one.uid}` }))).toMatchObject({
      metadata: { labels: { 'temper/fixture': 'machine' }, ownerReferences: [{ kind: 'BareMetalHost', uid: one.uid }] },
      data: { host: 'one', state: 'verifying', nextState: 'manageable', power: 'off' },
    });
    expect(await kube.find(secretPath({ namespace, name: 'one-bmc' }))).toMatchObject({
      metadata: {
        labels: { 'environment.metal3.io': 'baremetal' },
        finalizers: ['baremetalhost.metal3.io/secret'],
        ownerReferences: [{ uid: one.uid }],
      },
    });
  });

  test('says which credentials are missing or of no use, as with Ironic', async () => {
    const host = await aHost('locked-out');
    const bmc = { ...nodeOrder(host).bmc, credentialsName: 'nowhere' };
    expect(await run('registerNode', registerOrder(host, { bmc }))).toMatchObject({ kind: 'credentials missing' });
    const noAddress = { ...nodeOrder(host).bmc, address: '' };
    expect(await run('registerNode', registerOrder(host, { bmc: noAddress }))).toMatchObject({
      kind: 'credentials invalid',
    });
  });

  test('goes through a whole life that no restart of a worker interrupts', async () => {
    const { host, nodeId } = await registered('life');
    const order = nodeOrder(host, nodeId);
    const atRest = () => run('waitForNode', { host, nodeId, until: 'rest' });
    const image = { url: 'http://images/a.raw', checksum: 'abc' };

    const inspect = { ...order, refresh: false, retry: false };
    expect(await run('startInspection', inspect)).toMatchObject({ kind: 'started', node: { state: 'inspect wait' } });
    expect(await run('startInspection', inspect)).toMatchObject({ kind: 'started' });
    expect(await atRest()).toMatchObject({ state: 'manageable' });
    expect(await run('startInspection', inspect)).toMatchObject({ kind: 'done' });
    expect(await run('saveInventory', order)).toMatchObject({ architecture: 'x86_64' });
    expect(await kube.find(hardwareDataPath(host))).toMatchObject({ spec: { hardware: FIXTURE_HARDWARE } });

    expect(await run('setPower', { ...order, on: true, mode: 'soft', force: false })).toMatchObject({
      kind: 'done',
      node: { poweredOn: true },
    });
    expect(await run('provideNode', { ...order, retry: false })).toMatchObject({ kind: 'started' });
    expect(await atRest()).toMatchObject({ state: 'available' });
    const deploy = { ...order, image, retry: false };
    expect(await run('deployNode', deploy)).toMatchObject({ kind: 'started' });
    expect(await run('deployNode', deploy)).toMatchObject({ kind: 'started' });
    expect(await atRest()).toMatchObject({ state: 'active', poweredOn: true });
    expect(await run('deployNode', deploy)).toMatchObject({ kind: 'done' });
    const other = { ...deploy, image: { ...image, url: 'http://images/b.raw' } };
    expect(await run('deployNode', other)).toMatchObject({ kind: 'failed' });

    expect(await run('undeployNode', { ...order, retry: false })).toMatchObject({ node: { state: 'deleting' } });
    await leave(hostPath(host));
    expect(await run('deleteNode', order)).toMatchObject({ kind: 'started' });
    await atRest();
    expect(await run('deleteNode', order)).toEqual({ kind: 'lost' });
    expect(await atRest()).toBeNull();
  });

  test('whose machine was taken away has lost the node; registered again, it can be adopted', async () => {
    const { host, nodeId } = await registered('lost');
    await kube.request({ method: 'DELETE', path: configMapPath({ namespace, name: nodeId }) });
    const order = nodeOrder(host, nodeId);
    expect(await run('setPower', { ...order, on: true, mode: 'soft', force: false })).toEqual({ kind: 'lost' });
    expect(await run('undeployNode', { ...order, retry: false })).toEqual({ kind: 'lost' });
    const bmc = { ...order.bmc, credentialsName: 'gone' };
    expect(await run('registerNode', registerOrder(host, { nodeId, bmc, deleting: true }))).toEqual({
      kind: 'unknown',
    });
    expect(await run('registerNode', registerOrder(host, { nodeId, deleting: true }))).toMatchObject({ created: true });
    await run('waitForNode', { host, nodeId, until: 'rest' });
    expect(await run('adoptNode', { ...order, retry: false })).toMatchObject({ node: { state: 'adopting' } });
    expect(await run('waitForNode', { host, nodeId, until: 'rest' })).toMatchObject({ state: 'active' });
  });

  test('leaves the power to the machine: registered again, it is as it was left', async () => {
    const { host, nodeId } = await registered('detached');
    await run('setPower', { host, nodeId, on: true, mode: 'soft', force: false });
    await run('deleteNode', { host, nodeId });
    await run('waitForNode', { host, nodeId, until: 'rest' });
    expect(await run('deleteNode', { host, nodeId })).toEqual({ kind: 'lost' });
    expect(await kube.find(configMapPath({ namespace, name: nodeId }))).toMatchObject({
      data: { host: 'detached', power: 'on' },
    });
    expect(await run('registerNode', registerOrder(host, { nodeId }))).toMatchObject({
      created: true,
      node: { poweredOn: true, state: 'verifying' },
    });
    expect(await run('registerNode', registerOrder(host, { nodeId }))).toMatchObject({ created: false });
  });

  test('forgets the machine of a host that is detached in one call', async () => {
    const { host, nodeId } = await registered('left');
    expect(await run('deleteNode', { host, nodeId })).toEqual({ kind: 'lost' });
    const { data } = (await kube.find(configMapPath({ namespace, name: nodeId }))) as { readonly data: object };
    expect(data).toEqual({ host: 'left', power: 'off' });
  });

  test('creates no machine in a namespace that is being deleted: a host that leaves needs none, any other is told', async () => {
    const place = `${namespace}-leaving`;
    await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: place } } });
    const host = await aHostIn(place, 'caught', { finalizers: [KEPT] });
    await kube.request({ method: 'DELETE', path: `/api/v1/namespaces/${place}` });
    expect(await run('registerNode', registerOrder(host, { deleting: true }))).toEqual({ kind: 'unknown' });
    expect(await run('registerNode', registerOrder(host))).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('because it is being terminated') as string,
    });
    for (const path of [hostPath(host), secretPath({ namespace: place, name: 'caught-bmc' })]) {
      await kube.patch(path, { metadata: { finalizers: null } });
    }
  });

  test('needs the login of a registry where the image says so', async () => {
    const { host, nodeId } = await registered('locked');
    const image = { url: 'oci://registry/os', ociAuthSecretName: 'pull' };
    expect(await run('deployNode', { ...nodeOrder(host, nodeId), image, retry: false })).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('"pull" not found') as string,
    });
  });

  test('takes no other ConfigMap for a machine, whatever id a status claims', async () => {
    const host = await aHost('claims');
    const body = { metadata: { name: 'precious' }, data: { state: 'enroll' } };
    await kube.request({ method: 'POST', path: configMapPath({ namespace }), body });
    for (const nodeId of ['precious', '../configmaps/precious', '']) {
      expect(await run('deleteNode', { host, nodeId })).toEqual({ kind: 'lost' });
    }
    expect(await kube.find(configMapPath({ namespace, name: 'precious' }))).toBeDefined();
  });

  test('lets fail what the annotation asks for, until it is gone', async () => {
    const { host, nodeId } = await registered('clumsy');
    const order = nodeOrder(host, nodeId);
    await annotate('clumsy', { 'temper/fixture-fail': 'inspect, power' });
    const inspect = { ...order, refresh: false, retry: false };
    await run('startInspection', inspect);
    const lastError = "the annotation temper/fixture-fail makes 'inspect' fail";
    expect(await run('waitForNode', { host, nodeId, until: 'rest' })).toMatchObject({
      state: 'inspect failed',
      lastError,
    });
    expect(await run('startInspection', inspect)).toMatchObject({ kind: 'failed', message: lastError });
    const on = { host, nodeId, on: true, mode: 'soft', force: false } as const;
    expect(await run('setPower', on)).toMatchObject({ kind: 'failed', node: { poweredOn: false } });

    await annotate('clumsy', { 'temper/fixture-fail': null });
    expect(await run('setPower', on)).toMatchObject({ kind: 'done' });
    expect(await run('startInspection', { ...inspect, retry: true })).toMatchObject({ kind: 'started' });
    expect(await run('waitForNode', { host, nodeId, until: 'rest' })).toMatchObject({ state: 'manageable' });
  });

  test('keeps both of two changes made at the same time', async () => {
    const { host, nodeId } = await registered('torn');
    const order = nodeOrder(host, nodeId);
    await Promise.all([
      run('setPower', { ...order, on: true, mode: 'soft', force: false }),
      run('startInspection', { ...order, refresh: false, retry: false }),
    ]);
    const node = await run('waitForNode', { host, nodeId, until: 'on' });
    expect(node).toMatchObject({ poweredOn: true, state: 'inspect wait' });
  });

  test('stops waiting at once when it is cancelled', async () => {
    const { host, nodeId } = await registered('unwanted');
    await run('startInspection', { ...nodeOrder(host, nodeId), refresh: false, retry: false });
    const { waitForNode } = createFixtureActivities({ kube, hostData: createHostData(kube, () => undefined), log });
    const environment = new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000 });
    const order: WaitOrder = { host, nodeId, until: 'rest' };
    const waiting = environment.run(waitForNode, order);
    environment.cancel();
    await expect(waiting).rejects.toThrow(CancelledFailure);
  });
});

describe('before a machine is disturbed, the host', () => {
  const signal = new AbortController().signal;
  const kept = (patienceMs: number): IronicActivities =>
    forFreshHosts(createFixtureActivities({ kube, hostData: createHostData(kube, () => undefined), log }), {
      kube,
      call: () => ({ signal }),
      patienceMs,
    });
  const inActivity = <Answer>(work: () => Promise<Answer>): Promise<Answer> =>
    new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000 }).run(work);
  const shows = (name: string, state: string, image = '', method = ''): Promise<unknown> =>
    kube.patch(`${hostPath({ namespace, name })}/status`, {
      status: {
        operationalStatus: 'OK',
        errorMessage: '',
        errorCount: 0,
        poweredOn: true,
        provisioning: { state, ID: 'n', image: { url: image }, ...(method !== '' && { customDeploy: { method } }) },
      },
    });
  const wants = (name: string, spec: object): Promise<unknown> => kube.patch(hostPath({ namespace, name }), { spec });
  const IMAGE = { url: 'http://images/a', checksum: 'x' };
  const deployed = async (name: string): Promise<{ host: HostRef; nodeId: string }> => {
    const { host, nodeId } = await registered(name);
    await run('provideNode', { host, nodeId, retry: false });
    await run('waitForNode', { host, nodeId, until: 'rest' });
    await run('deployNode', { ...nodeOrder(host, nodeId), image: IMAGE, retry: false });
    await run('waitForNode', { host, nodeId, until: 'rest' });
    await wants(name, { image: IMAGE });
    await shows(name, 'provisioned', IMAGE.url);
    return { host, nodeId };
  };
  const stateOf = async ({ host, nodeId }: { readonly host: HostRef; readonly nodeId: string }) =>
    (await run('waitForNode', { host, nodeId, until: 'rest' }))?.state;

  test('is read: what it does not ask for is refused, and the machine stays as it is', async () => {
    const { host, nodeId } = await deployed('kept');
    const { undeployNode, deleteNode, setPower, deployNode } = kept(0);
    const order = { ...nodeOrder(host, nodeId), retry: false };
    const stale = (message: string) => ({ type: 'Stale', nonRetryable: true, message });
    await expect(inActivity(() => undeployNode(order))).rejects.toMatchObject(
      stale('undeploy: BareMetalHost kept: it is provisioned as its spec asks'),
    );
    await expect(inActivity(() => deleteNode({ host, nodeId }))).rejects.toMatchObject({ type: 'Stale' });
    await expect(inActivity(() => deployNode({ ...order, image: IMAGE }))).rejects.toMatchObject({ type: 'Stale' });
    const off = { host, nodeId, on: false, mode: 'hard', force: true } as const;
    await expect(inActivity(() => setPower(off))).rejects.toMatchObject({ type: 'Stale' });
    const elsewhere = { ...order, host: { ...host, uid: 'an-earlier-one' } };
    await expect(inActivity(() => undeployNode(elsewhere))).rejects.toMatchObject({ type: 'Stale' });
    expect(await stateOf({ host, nodeId })).toBe('active');
  });

  test('that is being deprovisioned and asks for its image again keeps it, unless its removal has begun', async () => {
    const { host, nodeId } = await deployed('asks-again');
    const { undeployNode } = kept(0);
    const order = { ...nodeOrder(host, nodeId), image: IMAGE, retry: false };
    const stays = { kind: 'done', node: { state: 'active' } };
    await shows('asks-again', 'deprovisioning', IMAGE.url);
    expect(await inActivity(() => undeployNode(order))).toMatchObject(stays);
    // Whatever is shown or said of what is deployed, the machine runs what is asked for.
    const made = { isBegun: true as const, askedAgain: { wish: {}, shown: { url: '' } } };
    expect(await inActivity(() => undeployNode({ ...order, ...made }))).toMatchObject(stays);
    await shows('asks-again', 'deprovisioning', 'http://images/forged', 'forged');
    expect(await inActivity(() => undeployNode({ ...order, ...made }))).toMatchObject(stays);
    // A run that does not know of the wish begins anew.
    const { image: _image, ...unaware } = order;
    const stale = { type: 'Stale', nonRetryable: true };
    await expect(inActivity(() => undeployNode(unaware))).rejects.toMatchObject(stale);
    await expect(inActivity(() => undeployNode({ ...order, isLeaving: true }))).rejects.toMatchObject(stale);
    expect(await stateOf({ host, nodeId })).toBe('active');

    await shows('asks-again', 'deprovisioning', IMAGE.url);
    await wants('asks-again', { image: null });
    const started = { kind: 'started', node: { state: 'deleting' } };
    const asks = { wish: { image: IMAGE }, shown: { url: IMAGE.url } };
    expect(await inActivity(() => undeployNode({ ...order, askedAgain: asks }))).toMatchObject(started);
    await wants('asks-again', { image: IMAGE });
    expect(await inActivity(() => undeployNode(order))).toMatchObject({ kind: 'started' });
    expect(await stateOf({ host, nodeId })).toBe('available');
    expect(await inActivity(() => undeployNode(order))).toMatchObject({ kind: 'done', node: { state: 'available' } });
  });

  test('that asks for its image with other data than it was deployed with does not keep it', async () => {
    const { host, nodeId } = await deployed('other-data');
    const order = { ...nodeOrder(host, nodeId), image: IMAGE, retry: false };
    await shows('other-data', 'deprovisioning', IMAGE.url);
    await wants('other-data', { userData: { name: 'cloud-init', namespace } });
    expect(await inActivity(() => kept(0).undeployNode(order))).toMatchObject({ kind: 'started' });
  });

  test('whose undeployment was begun loses its image, also when its machine was put back to the time before', async () => {
    const { host, nodeId } = await deployed('put-back');
    const order = { ...nodeOrder(host, nodeId), image: IMAGE, retry: false };
    await shows('put-back', 'deprovisioning', IMAGE.url);
    const before = (await kube.find(configMapPath({ namespace, name: nodeId }))) as { readonly data: object };
    const putBack = () => kube.patch(configMapPath({ namespace, name: nodeId }), { data: before.data });
    await wants('put-back', { image: null });
    expect(await inActivity(() => kept(0).undeployNode(order))).toMatchObject({ kind: 'started' });
    await wants('put-back', { image: IMAGE });
    await putBack();
    const begun = { ...order, isBegun: true as const };
    const erased = { kind: 'started', node: { state: 'deleting' } };
    expect(await inActivity(() => kept(0).undeployNode(begun))).toMatchObject(erased);
    // Only while the object says so, too.
    await putBack();
    await annotate('put-back', { [UNDEPLOYING_ANNOTATION]: null });
    expect(await inActivity(() => kept(0).undeployNode(begun))).toMatchObject({ kind: 'done' });
  });

  test('may ask for it a moment later, when its state has been written', async () => {
    const { host, nodeId } = await deployed('late');
    const order = { ...nodeOrder(host, nodeId), retry: false };
    await wants('late', { image: null });
    await expect(inActivity(() => kept(0).undeployNode(order))).rejects.toMatchObject({
      type: 'NotShown',
      nonRetryable: false,
      message: "undeploy: BareMetalHost late: its status does not show 'deprovisioning' yet",
    });
    expect(await stateOf({ host, nodeId })).toBe('active');
    const asked = inActivity(() => kept(60_000).undeployNode(order));
    await shows('late', 'deprovisioning', IMAGE.url);
    expect(await asked).toMatchObject({ kind: 'started' });
    expect(await stateOf({ host, nodeId })).toBe('available');
  });
});
