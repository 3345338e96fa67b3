import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { createFixtureOperations } from '../../activities/fixture/activities.ts';
import { createHostData } from '../../activities/kubernetes/host/host-data.ts';
import { FIXTURE_HARDWARE } from '../../domain/fixture/hardware.ts';
import type { WaitOrder } from '../../domain/ironic/orders.ts';
import { configMapPath, hardwareDataPath, hostPath, secretPath } from '../../kube/paths.ts';
import { openFixtureScene } from './fixture/scene.ts';

/** The fixture's activities on a real API server, each call as from a newly started worker. */
const { kube, namespace, log, run, aHost, aHostIn, leave, nodeOrder, registerOrder, idOf, registered, annotate, KEPT } =
  await openFixtureScene();
afterAll(() => kube.close());

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
    const { waitForNode } = createFixtureOperations({
      kube,
      urgent: kube,
      hostData: createHostData(kube, () => undefined),
      log,
    });
    const environment = new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000 });
    const order: WaitOrder = { host, nodeId, until: 'rest' };
    const waiting = environment.run(waitForNode, order);
    environment.cancel();
    await expect(waiting).rejects.toThrow(CancelledFailure);
  });
});
