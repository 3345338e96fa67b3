import { beforeEach, describe, expect, test } from 'vitest';
import { OPENSHIFT_API } from '../../../domain/machine-api/names.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../../test/builders/objects-in-memory.ts';
import { STALE } from '../../../workflows/messages.ts';
import { createMachineRemediationActivities } from './remediation.ts';

const NODES = '/api/v1/nodes';
const HOSTS = '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts';
const MACHINES = '/apis/machine.openshift.io/v1beta1/namespaces/metal/machines';
const REQUESTED = 'host.metal3.io/external-remediation';
const KEPT_OFF = 'reboot.metal3.io/capbm-requested-power-off';
const POWERED_OFF = 'remediation.metal3.io/powered-off-for-remediation';
const DEADLINE = 'remediation.metal3.io/power-on-will-timeout-at';
const BACKUP = {
  labels: 'remediation.metal3.io/node-labels-backup',
  annotations: 'remediation.metal3.io/node-annotations-backup',
};

let objects: ObjectsInMemory;
let activities: ReturnType<typeof createMachineRemediationActivities>;
beforeEach(() => {
  objects = objectsInMemory();
  activities = createMachineRemediationActivities(objects.kube);
});

const put = (path: string, name: string, metadata: object, rest: object = {}): Promise<unknown> => {
  const namespace = path === NODES ? '' : 'metal';
  const body = { metadata: { name, namespace, uid: `${name}-uid`, ...metadata }, ...rest };
  return objects.kube.request({ method: 'POST', path, body });
};
const aMachine = (annotations: object, status: object = { nodeRef: { name: 'node-a' } }): Promise<unknown> =>
  put(MACHINES, 'worker-0', { annotations }, { status });
const aHost = (annotations: object, status: object = {}): Promise<unknown> => {
  const consumerRef = { apiVersion: OPENSHIFT_API, kind: 'Machine', name: 'worker-0', namespace: 'metal' };
  return put(HOSTS, 'host-1', { annotations }, { spec: { consumerRef }, status });
};
const annotationsOf = (path: string): object => {
  const { metadata } = objects.all().get(path) ?? { metadata: {} };
  return (metadata as { annotations?: object }).annotations ?? {};
};

const MACHINE = { namespace: 'metal', name: 'worker-0', api: OPENSHIFT_API, uid: 'worker-0-uid' };
const HOST = { host: { namespace: 'metal', name: 'host-1', uid: 'host-1-uid' }, machine: MACHINE };
const NODE = { name: 'node-a', uid: 'node-a-uid' };

describe('the host of a Machine in remediation', () => {
  test('is kept off', async () => {
    await aMachine({ [REQUESTED]: '' });
    await aHost({});
    expect(await activities.keepMachineHostOff(HOST)).toMatchObject({ kind: 'host', host: { keptOff: true } });
    expect(annotationsOf(`${HOSTS}/host-1`)).toEqual({ [KEPT_OFF]: '{"mode":"hard"}' });
  });

  test('is not kept off for a Machine that is moved to Cluster API', async () => {
    await aMachine({ [REQUESTED]: '' }, { authoritativeAPI: 'ClusterAPI' });
    await aHost({});
    await expect(activities.keepMachineHostOff(HOST)).rejects.toMatchObject({ type: STALE });
    expect(annotationsOf(`${HOSTS}/host-1`)).toEqual({});
  });

  test.each([['whose Node is deleted already', { [REQUESTED]: '', [POWERED_OFF]: '' }]])(
    'is not kept off again for a Machine %s',
    async (_, annotations) => {
      await aMachine(annotations);
      await aHost({});
      await activities.keepMachineHostOff(HOST);
      expect(annotationsOf(`${HOSTS}/host-1`)).toEqual({});
    },
  );

  test('is not kept off for a Machine that is well', async () => {
    await aMachine({});
    await aHost({});
    await expect(activities.keepMachineHostOff(HOST)).rejects.toMatchObject({ type: STALE });
    expect(annotationsOf(`${HOSTS}/host-1`)).toEqual({});
  });

  test('is let on after the Machine is marked', async () => {
    await aMachine({ [REQUESTED]: '' });
    await aHost({ [KEPT_OFF]: '', mine: '' });
    const writes: string[] = [];
    objects.beforeWrite = (_, path) => void writes.push(path.split('/').at(-1) ?? '');
    await activities.letMachineHostOn({ ...HOST, uid: MACHINE.uid, deadline: 't' });
    expect(annotationsOf(`${HOSTS}/host-1`)).toEqual({ mine: '' });
    expect(annotationsOf(`${MACHINES}/worker-0`)).toEqual({ [REQUESTED]: '', [POWERED_OFF]: '', [DEADLINE]: 't' });
    expect(writes).toEqual(['worker-0', 'host-1']);
    await activities.letMachineHostOn({ ...HOST, uid: MACHINE.uid, deadline: 'later' });
    expect(annotationsOf(`${MACHINES}/worker-0`)).toMatchObject({ [DEADLINE]: 't' });
  });

  test('is let on although the Machine is gone', async () => {
    await aHost({ [KEPT_OFF]: '' });
    await activities.letMachineHostOn({ ...HOST, uid: MACHINE.uid });
    expect(annotationsOf(`${HOSTS}/host-1`)).toEqual({});
  });
});

describe('the Node of a Machine in remediation', () => {
  const take = () => activities.takeNodeAway({ ...HOST, node: NODE });

  test('is deleted while its host is off, after the Machine has what it had', async () => {
    await aMachine({ [REQUESTED]: '' });
    await aHost({ [KEPT_OFF]: '' }, { poweredOn: false });
    await put(NODES, 'node-a', { labels: { rack: '7' }, annotations: { mine: 'x' } });
    await take();
    expect(objects.all().has(`${NODES}/node-a`)).toBe(false);
    expect(annotationsOf(`${MACHINES}/worker-0`)).toEqual({
      [REQUESTED]: '',
      [BACKUP.labels]: '{"rack":"7"}',
      [BACKUP.annotations]: '{"mine":"x"}',
    });
    await expect(take()).resolves.toBeUndefined();
  });

  test.each([
    ['a host that is on', { [REQUESTED]: '' }, { [KEPT_OFF]: '' }, { poweredOn: true }],
    ['a host that nobody keeps off', { [REQUESTED]: '' }, {}, { poweredOn: false }],
    ['a Machine that is well', {}, { [KEPT_OFF]: '' }, { poweredOn: false }],
  ])('is not deleted on %s', async (_, machine, host, status) => {
    await aMachine(machine);
    await aHost(host, status);
    await put(NODES, 'node-a', {});
    await expect(take()).rejects.toMatchObject({ type: STALE });
    expect(objects.all().has(`${NODES}/node-a`)).toBe(true);
  });

  test('is not that of another Machine, which a made-up order names', async () => {
    await aMachine({ [REQUESTED]: '' }, { nodeRef: { name: 'node-b' } });
    await aHost({ [KEPT_OFF]: '' }, { poweredOn: false });
    await put(NODES, 'node-a', {});
    await expect(take()).rejects.toMatchObject({ type: STALE });
    expect(objects.all().has(`${NODES}/node-a`)).toBe(true);
  });

  test('gets what it lacks, and the Machine is as before', async () => {
    await aMachine({
      [REQUESTED]: '',
      [POWERED_OFF]: '',
      [DEADLINE]: 't',
      [BACKUP.labels]: '{"rack":"7","zone":"a"}',
      mine: '',
    });
    await put(NODES, 'node-a', { labels: { zone: 'b' } });
    await activities.endMachineRemediation({ machine: MACHINE, node: NODE });
    expect(objects.all().get(`${NODES}/node-a`)?.metadata).toMatchObject({ labels: { rack: '7', zone: 'b' } });
    expect(annotationsOf(`${MACHINES}/worker-0`)).toEqual({ mine: '' });
  });

  test('that is not there leaves what is stored', async () => {
    await aMachine({ [REQUESTED]: '', [BACKUP.labels]: '{}' });
    await activities.endMachineRemediation({ machine: MACHINE, node: NODE });
    expect(annotationsOf(`${MACHINES}/worker-0`)).toHaveProperty([BACKUP.labels]);
  });
});

describe('a Machine whose Node did not come back', () => {
  const remove = () => activities.deleteMachine({ machine: MACHINE });

  test('is deleted, once its time is over', async () => {
    await aMachine({ [REQUESTED]: '', [DEADLINE]: '2026-01-01T00:00:00Z' });
    await remove();
    expect(objects.all().has(`${MACHINES}/worker-0`)).toBe(false);
    await expect(remove()).resolves.toBeUndefined();
  });

  test('is deleted when its deadline is further away than any can be, by a clock that was ahead', async () => {
    await aMachine({ [REQUESTED]: '', [DEADLINE]: '2999-01-01T00:00:00Z' });
    await remove();
    expect(objects.all().has(`${MACHINES}/worker-0`)).toBe(false);
  });

  test.each([
    ['it still has time', { [REQUESTED]: '', [DEADLINE]: new Date(Date.now() + 1_800_000).toISOString() }],
    ['nothing says how long it has', { [REQUESTED]: '' }],
    ['it is well', { [DEADLINE]: '2026-01-01T00:00:00Z' }],
  ])('stays while %s', async (_, annotations) => {
    await aMachine(annotations);
    await expect(remove()).rejects.toMatchObject({ type: STALE });
    expect(objects.all().has(`${MACHINES}/worker-0`)).toBe(true);
  });
});
