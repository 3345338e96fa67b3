import { beforeEach, describe, expect, test } from 'vitest';
import { OPENSHIFT_API } from '../../../domain/machine-api/names.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../../test/builders/objects-in-memory.ts';
import { BEGUN } from '../../../test/builders/remediation.ts';
import { STALE } from '../../../workflows/messages.ts';
import { createRemediationActivities } from './activities.ts';

/** Metal3Remediations of Machines of the Machine API. */

const HOSTS = '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts';
const MACHINES = '/apis/machine.openshift.io/v1beta1/namespaces/metal/machines';
const REMEDIATIONS = '/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/metal/metal3remediations';
const KEY = 'reboot.metal3.io/metal3-remediation-worker-0-uid';
const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: 's', controller: true };
const identity = (name: string) => ({ namespace: 'metal', name, uid: `${name}-uid` });
const ORDER = {
  remediation: identity('worker-0'),
  retryCount: 0,
  lastRemediated: BEGUN,
  host: identity('host-1'),
  machine: { ...identity('worker-0'), api: OPENSHIFT_API },
  metal3Machine: 'worker-0',
  message: '',
};

let objects: ObjectsInMemory;
let activities: ReturnType<typeof createRemediationActivities>;
beforeEach(() => {
  objects = objectsInMemory();
  activities = createRemediationActivities(objects.kube);
});
interface Parts {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}
const put = (path: string, name: string, { metadata, ...rest }: Parts): Promise<unknown> =>
  objects.kube.request({ method: 'POST', path, body: { metadata: { ...identity(name), ...metadata }, ...rest } });

interface Change {
  readonly phase?: string;
  readonly machine?: object;
  readonly status?: object;
  readonly host?: object;
}
async function all({ phase = 'Running', machine = {}, status = {}, host = {} }: Change = {}): Promise<void> {
  const { uid } = identity('worker-0');
  const ownerReferences = [{ apiVersion: OPENSHIFT_API, kind: 'Machine', name: 'worker-0', uid }];
  await put(REMEDIATIONS, 'worker-0', { metadata: { ownerReferences }, status: { phase, lastRemediated: BEGUN } });
  await put(MACHINES, 'worker-0', { metadata: { ownerReferences: [OWNER], ...machine }, status });
  const consumerRef = { apiVersion: OPENSHIFT_API, kind: 'Machine', name: 'worker-0', namespace: 'metal' };
  await put(HOSTS, 'host-1', { spec: { online: true, consumerRef, ...host } });
}
const annotations = (): unknown =>
  (objects.all().get(`${HOSTS}/host-1`)?.metadata as { annotations?: object } | undefined)?.annotations;
const hasMachine = (): boolean => objects.all().has(`${MACHINES}/worker-0`);

describe('the host of a Machine of the Machine API', () => {
  test('is kept off, and let on', async () => {
    await all();
    expect(await activities.keepHostOff(ORDER)).toMatchObject({ belongs: true, heldBy: [KEY] });
    expect(annotations()).toEqual({ [KEY]: '{"mode":"hard"}' });
    const order = { ...ORDER, api: OPENSHIFT_API, keys: [KEY] };
    expect(await activities.letHostOn(order)).toMatchObject({ belongs: true, heldBy: [] });
    expect(annotations()).toEqual({});
  });

  test('is not kept off for a Machine that is moved to Cluster API', async () => {
    await all({ status: { authoritativeAPI: 'Migrating' } });
    await expect(activities.keepHostOff(ORDER)).rejects.toMatchObject({ type: STALE });
  });

  test('is not kept off for a Machine of Cluster API of that name', async () => {
    await all();
    const order = { ...ORDER, machine: identity('worker-0') };
    await expect(activities.keepHostOff(order)).rejects.toMatchObject({ type: STALE });
  });
});

describe('after the last attempt', () => {
  test('the host is marked, and the Machine is deleted so that its owner makes another one', async () => {
    await all({ phase: 'Waiting' });
    await activities.handOver(ORDER);
    expect(annotations()).toEqual({ 'capm3.metal3.io/unhealthy': 'capm3/UnhealthyNode' });
    expect(hasMachine()).toBe(false);
  });

  test('the Machine of a host that is gone is deleted', async () => {
    await all();
    await activities.handOver({ ...ORDER, host: null });
    expect([annotations(), hasMachine()]).toEqual([undefined, false]);
  });

  const master = { labels: { 'machine.openshift.io/cluster-api-machine-role': 'master' } };
  test.each<readonly [string, Change]>([
    ['without a controller', { machine: { ownerReferences: [] } }],
    ['of a control plane', { machine: master }],
    ['whose host somebody else provisioned', { host: { externallyProvisioned: true } }],
  ])('a Machine %s stays', async (_, change) => {
    await all({ ...change, phase: 'Waiting' });
    await activities.handOver(ORDER);
    expect(annotations()).toHaveProperty(['capm3.metal3.io/unhealthy']);
    expect(hasMachine()).toBe(true);
  });
});
