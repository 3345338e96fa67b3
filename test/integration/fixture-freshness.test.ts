import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { createFixtureOperations } from '../../activities/fixture/activities.ts';
import { forFreshHosts } from '../../activities/freshness/fresh-host.ts';
import type { IronicActivities } from '../../activities/ironic/activities.ts';
import { createHostData } from '../../activities/kubernetes/host/host-data.ts';
import { UNDEPLOYING_ANNOTATION } from '../../api/baremetalhost/values.ts';
import type { HostRef } from '../../domain/ironic/orders.ts';
import { configMapPath, hostPath, secretPath } from '../../kube/paths.ts';
import { atNight } from '../at-night.ts';
import { openFixtureScene } from './fixture/scene.ts';

/** What the fixture does to a machine only while its BareMetalHost asks for it, on a real API server. */
const { kube, namespace, log, run, nodeOrder, registered, annotate } = await openFixtureScene();
afterAll(() => kube.close());

describe('before a machine is disturbed, the host', () => {
  const signal = new AbortController().signal;
  const kept = (patienceMs: number): IronicActivities =>
    forFreshHosts(
      createFixtureOperations({ kube, urgent: kube, hostData: createHostData(kube, () => undefined), log }),
      {
        kube,
        call: () => ({ signal }),
        patienceMs,
      },
    );
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
    const made = { isBegun: true as const, askedAgain: { desired: {}, shown: { url: '' } } };
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
    const asks = { desired: { image: IMAGE }, shown: { url: IMAGE.url } };
    expect(await inActivity(() => undeployNode({ ...order, askedAgain: asks }))).toMatchObject(started);
    await wants('asks-again', { image: IMAGE });
    expect(await inActivity(() => undeployNode(order))).toMatchObject({ kind: 'started' });
    expect(await stateOf({ host, nodeId })).toBe('available');
    expect(await inActivity(() => undeployNode(order))).toMatchObject({ kind: 'done', node: { state: 'available' } });
  });

  test('that asks for its image with other data than it was deployed with does not keep it', async ({ skip }) => {
    atNight(skip, 'activities/freshness/fresh-host.test.ts');
    const { host, nodeId } = await deployed('other-data');
    const order = { ...nodeOrder(host, nodeId), image: IMAGE, retry: false };
    await shows('other-data', 'deprovisioning', IMAGE.url);
    await wants('other-data', { userData: { name: 'cloud-init', namespace } });
    expect(await inActivity(() => kept(0).undeployNode(order))).toMatchObject({ kind: 'started' });
  });

  test('that names other data while it is being deployed keeps its deployment, and begins one with the data that it names then', async ({
    skip,
  }) => {
    atNight(skip, 'activities/freshness/fresh-host.test.ts');
    const { host, nodeId } = await registered('edited');
    const order = { ...nodeOrder(host, nodeId), image: IMAGE, retry: false };
    const dataOf = async () =>
      ((await kube.find(configMapPath({ namespace, name: nodeId }))) as { readonly data: { readonly data: string } })
        .data.data;
    const provisions = (start: string): Promise<unknown> =>
      kube.patch(`${hostPath(host)}/status`, {
        status: {
          operationalStatus: 'OK',
          errorMessage: '',
          errorCount: 0,
          poweredOn: true,
          provisioning: { state: 'provisioning', ID: nodeId },
          operationHistory: { provision: { start, end: null } },
        },
      });
    const { deployNode } = kept(0);
    const deploy = (data: object = {}) => inActivity(() => deployNode({ ...order, ...data }));
    for (const name of ['first', 'second'])
      await kube.request({
        method: 'POST',
        path: secretPath({ namespace, name: '' }).replace(/\/$/, ''),
        body: { metadata: { name }, stringData: { userData: '#cloud-config' } },
      });
    await run('provideNode', { host, nodeId, retry: false });
    await run('waitForNode', { host, nodeId, until: 'rest' });
    await wants('edited', { image: IMAGE, userData: { name: 'missing' } });
    await provisions('2026-01-01T00:00:00Z');
    await expect(deploy({ userData: { name: 'missing' } })).rejects.toThrow('secrets "missing" not found');

    // The order of a run that has not heard of the correction.
    await wants('edited', { userData: { name: 'first' } });
    expect(await deploy({ userData: { name: 'missing' } })).toMatchObject({ kind: 'started' });
    expect(await dataOf()).toBe('{"userData":{"name":"first"}}');

    // A missing Secret, or one that cannot be read, does not matter any more.
    await wants('edited', { userData: { name: 'second' }, metaData: { name: 'missing' } });
    expect(await deploy()).toMatchObject({ kind: 'started', node: { state: 'wait call-back' } });
    expect(await stateOf({ host, nodeId })).toBe('active');
    expect(await deploy()).toMatchObject({ kind: 'done' });
    expect(await dataOf()).toBe('{"userData":{"name":"first"}}');

    // Another attempt, for example of an etcd that was put back, has nothing to do with it.
    await provisions('2026-01-02T00:00:00Z');
    expect(await deploy()).toMatchObject({ kind: 'failed' });
    expect(await stateOf({ host, nodeId })).toBe('active');
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

  test('may ask for it a moment later, when its state has been written', async ({ skip }) => {
    atNight(skip, 'activities/freshness/fresh-host.test.ts');
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
