import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createKubernetesActivities } from '../../activities/kubernetes/activities.ts';
import { MACHINE_FINALIZER } from '../../api/metal3machine/kind.ts';
import { connectKube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, objectPath } from '../../kube/paths.ts';

const kube = connectKube(inject('kubeconfig'));
const namespace = `machine-data-${randomBytes(4).toString('hex')}`;
const activities = createKubernetesActivities({ kube, defaultArchitecture: 'x86_64' });
beforeAll(async () => {
  await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
});
afterAll(() => kube.close());

const stale = (message: string) => ({ type: 'Stale', nonRetryable: true, message });
const IMAGE = { url: 'http://a/b', checksum: 'x' };
const CLUSTER = 'cluster.x-k8s.io/cluster-name';

describe('data of a machine', () => {
  const template = { namespace, name: 'tpl' };
  const labels = { [CLUSTER]: 'test1' };
  const CLAIMS = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', plural: 'metal3dataclaims' };
  /** The order of a machine that asks for data. Objects without an existing owner are garbage-collected. */
  async function anOrder(name: string, dataTemplate: object = { name: 'tpl' }, finalizers = [MACHINE_FINALIZER]) {
    const { apiVersion } = KINDS.metal3Machine;
    const body = {
      apiVersion,
      kind: 'Metal3Machine',
      metadata: { name, labels, finalizers: ['example.com/keeps', ...finalizers] },
      spec: { image: IMAGE, dataTemplate },
    };
    const made = await kube.request({ method: 'POST', path: collectionPath(KINDS.metal3Machine, namespace), body });
    const { uid } = (made as { metadata: { uid: string } }).metadata;
    return { machine: { namespace, name, uid }, template };
  }
  const leave = ({ machine }: Awaited<ReturnType<typeof anOrder>>) =>
    kube.request({ method: 'DELETE', path: objectPath(KINDS.metal3Machine, machine) });
  const claimOf = ({ machine }: Awaited<ReturnType<typeof anOrder>>) => kube.find(objectPath(CLAIMS, machine));

  test('is requested once, owned by the machine, kept by its finalizer, and released', async () => {
    const order = await anOrder('m3m-data');
    expect(await activities.requestData(order)).toEqual({ deleting: false, hasFinalizer: true });
    expect(await activities.requestData(order)).toEqual({ deleting: false, hasFinalizer: true });
    expect(await claimOf(order)).toMatchObject({
      metadata: {
        labels,
        finalizers: ['metal3machine.infrastructure.cluster.x-k8s.io'],
        ownerReferences: [{ kind: 'Metal3Machine', name: 'm3m-data', uid: order.machine.uid, controller: true }],
      },
      spec: { template },
    });
    await expect(activities.letDataGo(order.machine)).rejects.toThrow(
      'release a host or data: Metal3Machine m3m-data: it is not being deleted',
    );
    await leave(order);
    expect(await activities.letDataGo(order.machine)).toBeNull();
    expect(await activities.letDataGo(order.machine)).toBeNull();
  });

  test('is not requested for a machine whose object does not ask for it, whatever an order says', async () => {
    const order = await anOrder('m3m-forged');
    const { machine: real } = order;
    const about = (problem: string) => stale(`request data: Metal3Machine ${problem}`);
    const other = about('m3m-forged: it does not ask for data of this template');
    for (const [made, refusal] of [
      [{ template: { namespace, name: 'another' } }, other],
      [{ template: { namespace: 'elsewhere', name: 'tpl' } }, other],
      [{ machine: { ...real, uid: 'made-up' } }, other],
      [{ machine: { ...real, name: 'm3m-nobody' } }, about('m3m-nobody: it does not exist')],
    ] as const) {
      const forged = { ...order, ...made };
      await expect(activities.requestData(forged)).rejects.toMatchObject(refusal);
      expect(await claimOf(forged)).toBeUndefined();
    }
    const unheld = await anOrder('m3m-unheld', { name: 'tpl' }, []);
    await expect(activities.requestData(unheld)).rejects.toMatchObject(about('m3m-unheld: it lacks its finalizer'));
    await leave(order);
    await expect(activities.requestData(order)).rejects.toMatchObject(about('m3m-forged: it is being deleted'));
    expect([await claimOf(order), await claimOf(unheld)]).toEqual([undefined, undefined]);
  });

  test('has the labels of its machine, and no others, whatever an order says', async () => {
    const order = await anOrder('m3m-labels');
    const forged = { ...order, labels: { [CLUSTER]: 'another', made: 'up' } };
    await activities.requestData(forged);
    expect(await claimOf(order)).toHaveProperty(['metadata', 'labels'], labels);
  });

  test('is deleted only when others remove their finalizers', async () => {
    const order = await anOrder('m3m-kept');
    await activities.requestData(order);
    await leave(order);
    const path = objectPath(CLAIMS, order.machine);
    const mine = 'metal3machine.infrastructure.cluster.x-k8s.io';
    await kube.patch(path, { metadata: { finalizers: [mine, 'example.com/x'] } });
    expect(await activities.letDataGo(order.machine)).toEqual({ deleting: true, hasFinalizer: false });
    await kube.patch(path, { metadata: { finalizers: null } });
    await kube.patch(objectPath(KINDS.metal3Machine, order.machine), { metadata: { finalizers: null } });
  });
});
