import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodePath, objectPath, secretPath } from '../../kube/paths.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { atNight } from '../at-night.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { keepRuns, withTemporal } from './support/histories.ts';
import { editHost, getHost, hostGone, hostIn, NAMESPACE } from './support/hosts.ts';
import {
  type AnyObject,
  aCluster,
  aFreeHost,
  aMachine,
  aNode,
  create,
  expectGone,
  expectToShow,
  get,
  on,
  PATIENCE,
  patch,
  remove,
} from './support/machines.ts';
import { openOlderCluster, type WorkloadServer } from './support/older-cluster.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';

/** Metal3Remediations of machines on hosts of the fixture; the test is their MachineHealthCheck and their kubelet. */

let lab: TestFixtureLab;
let older: WorkloadServer;
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: QUICK_FIXTURE });
  older = await openOlderCluster(lab.kube);
  await aCluster(lab, 'today');
  await aCluster(lab, 'older');
  await lab.kube.patch(secretPath({ namespace: NAMESPACE, name: 'older-kubeconfig' }), {
    stringData: { value: older.kubeconfig },
  });
});
afterAll(async () => {
  await lab?.stop();
  await older?.close();
});

const UNHEALTHY = 'capm3.metal3.io/unhealthy';
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments';
const workflowOf = (name: string): string => entityWorkflowId('Metal3Remediation', { namespace: NAMESPACE, name });
const annotationsOf = async (name: string): Promise<Readonly<Record<string, string>>> =>
  (await getHost(lab, name))?.metadata.annotations ?? {};
const keyOf = (remediation: AnyObject): string => `reboot.metal3.io/metal3-remediation-${remediation.metadata.uid}`;
const expectPower = (host: string, poweredOn: boolean): Promise<void> =>
  expect.poll(async () => (await getHost(lab, host))?.status.poweredOn, PATIENCE).toBe(poweredOn);
const phaseOf = async (name: string): Promise<unknown> => (await get(lab, 'metal3Remediation', name))?.status['phase'];
const expectPhase = (name: string, phase: string): Promise<void> =>
  expect.poll(() => phaseOf(name), PATIENCE).toBe(phase);
const findNode = (name: string): Promise<unknown> => lab.kube.find(nodePath(name));

/** Until it is detached, this Node is drained. */
async function attachVolume(node: string): Promise<void> {
  const body = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: `${node}-volume` },
    spec: { attacher: 'a', nodeName: node, source: { persistentVolumeName: 'v' } },
  };
  await lab.kube.request({ method: 'POST', path: ATTACHMENTS, body });
}
const detachVolume = (node: string): Promise<unknown> =>
  lab.kube.request({ method: 'DELETE', path: `${ATTACHMENTS}/${node}-volume` });

/** What Cluster API says of the Machine's Node. */
const sayOfNode = (machine: string, status: 'True' | 'False' | 'Unknown'): Promise<unknown> => {
  const condition = {
    type: 'NodeReady',
    status,
    reason: 'X',
    message: '',
    lastTransitionTime: new Date().toISOString(),
  };
  return patch(lab, 'machine', machine, { status: { conditions: [condition] } }, '/status');
};

/** A machine that runs on its host as a Node, all with this name. */
async function aRunningMachine(name: string, cluster: string, annotations: object = {}): Promise<void> {
  const { metadata } = await aFreeHost(lab, name);
  await aMachine(lab, cluster, name, { spec: on(name) });
  await hostIn(lab, name, 'provisioned');
  await aNode(lab, name, { 'metal3.io/uuid': metadata.uid, 'example.com/rack': '7' });
  await lab.kube.patch(nodePath(name), { metadata: { annotations } });
  await expectToShow(lab, 'metal3Machine', name, { status: { initialization: { provisioned: true } } });
  await patch(lab, 'machine', name, { status: { nodeRef: { name } } }, '/status');
  await expectPower(name, true);
}

/** As a MachineHealthCheck makes it. */
async function remediate(machine: string, metadata: object = {}, name = machine): Promise<AnyObject> {
  const { metadata: owner } = (await get(lab, 'machine', machine)) as AnyObject;
  const ownerReferences = [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: machine, uid: owner.uid }];
  return create(lab, 'metal3Remediation', name, {
    metadata: { ownerReferences, ...metadata },
    spec: { strategy: { type: 'Reboot', retryLimit: 1, timeoutSeconds: 600 } },
  });
}

describe('a machine whose Node is silent', () => {
  test('is powered off, its volumes are detached, it is powered on, and the Node is as it was', async () => {
    await aRunningMachine('silent', 'today');
    await attachVolume('silent');

    const remediation = await remediate('silent');
    await expectPower('silent', false);
    expect(await annotationsOf('silent')).toMatchObject({ [keyOf(remediation)]: '{"mode":"hard"}' });
    const taint: unknown = expect.objectContaining({
      key: 'node.kubernetes.io/out-of-service',
      value: 'nodeshutdown',
      effect: 'NoExecute',
    });
    await expect
      .poll(() => findNode('silent'), PATIENCE)
      .toMatchObject({ spec: { taints: expect.arrayContaining([taint]) as unknown } });
    expect(await get(lab, 'metal3Remediation', 'silent')).toMatchObject({
      metadata: { finalizers: ['metal3remediation.infrastructure.cluster.x-k8s.io'] },
      status: { phase: 'Running', lastRemediated: expect.any(String) as unknown },
    });

    await detachVolume('silent');
    await expectPhase('silent', 'Waiting');
    await expectPower('silent', true);
    expect(await annotationsOf('silent')).not.toHaveProperty([keyOf(remediation)]);
    await expect
      .poll(() => findNode('silent'), PATIENCE)
      .not.toMatchObject({ spec: { taints: expect.arrayContaining([taint]) as unknown } });
    expect(await findNode('silent')).toMatchObject({ metadata: { labels: { 'example.com/rack': '7' } } });

    await remove(lab, 'metal3Remediation', 'silent');
    await expectGone(lab, 'metal3Remediation', 'silent');
    await keepRuns(lab, 'rebooted', workflowOf('silent'));
  });

  test('loses its Node where the cluster does not know the taint, and gets its labels back, whatever dies meanwhile', async () => {
    await aRunningMachine('lost', 'older', { 'example.com/owner': 'me' });
    await sayOfNode('lost', 'Unknown');
    const remediation = await remediate('lost');
    await expect.poll(() => findNode('lost'), PATIENCE).toBeUndefined();
    const stored = (await get(lab, 'metal3Remediation', 'lost'))?.metadata.annotations ?? {};
    expect(JSON.parse(stored['remediation.metal3.io/node-labels-backup'] ?? '')).toMatchObject({
      'example.com/rack': '7',
    });
    await withTemporal(lab, (client) => client.workflow.getHandle(workflowOf('lost')).terminate('by the test'));
    await lab.kill('workers', 'SIGKILL');
    await lab.kill('bridge', 'SIGKILL');
    await lab.start('workers');
    await lab.start('bridge');

    await expectPower('lost', true);
    await expectPhase('lost', 'Waiting');
    expect(await annotationsOf('lost')).not.toHaveProperty([keyOf(remediation)]);
    await aNode(lab, 'lost', { 'example.com/rack': '8' });
    await sayOfNode('lost', 'True');
    await expect
      .poll(() => findNode('lost'), PATIENCE)
      .toMatchObject({
        metadata: {
          labels: { 'example.com/rack': '8', 'metal3.io/uuid': expect.any(String) as unknown },
          annotations: { 'example.com/owner': 'me' },
        },
      });
    await expect
      .poll(
        async () => Object.keys((await get(lab, 'metal3Remediation', 'lost'))?.metadata.annotations ?? {}),
        PATIENCE,
      )
      .toEqual([]);
    await remove(lab, 'metal3Remediation', 'lost');
    await expectGone(lab, 'metal3Remediation', 'lost');
  });

  test('that is left off by a pause goes on after it', async ({ skip }) => {
    atNight(skip, 'domain/remediation/entity.test.ts');
    await aRunningMachine('paused', 'today');
    const annotations = { 'cluster.x-k8s.io/paused': '' };
    const remediation = await remediate('paused', { annotations });
    await expect
      .poll(
        () => withTemporal(lab, async (client) => client.workflow.getHandle(workflowOf('paused')).describe()),
        PATIENCE,
      )
      .toMatchObject({ status: { name: 'RUNNING' } });
    expect(await get(lab, 'metal3Remediation', 'paused')).toMatchObject({ metadata: { finalizers: [] } });
    await patch(lab, 'metal3Remediation', 'paused', { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } });
    await expectPhase('paused', 'Waiting');
    await remove(lab, 'metal3Remediation', 'paused');
    await expectGone(lab, 'metal3Remediation', 'paused');
    await expectPower('paused', true);
    expect(await annotationsOf('paused')).not.toHaveProperty([keyOf(remediation)]);
  });

  test('that is moved to another cluster while it is off is powered on there, and nothing keeps it off', async ({
    skip,
  }) => {
    atNight(skip, 'domain/remediation/entity.test.ts');
    await aCluster(lab, 'moving');
    await aRunningMachine('moved', 'moving');
    await attachVolume('moved');
    const old = await remediate('moved');
    await expectPower('moved', false);
    // As `clusterctl move`, which leaves status and finalizers behind; the host keeps its annotations.
    const pauseCluster = (paused: boolean): Promise<unknown> => patch(lab, 'cluster', 'moving', { spec: { paused } });
    await pauseCluster(true);
    await expect.poll(() => annotationsOf('moved'), PATIENCE).toHaveProperty(['baremetalhost.metal3.io/paused']);
    await remove(lab, 'metal3Remediation', 'moved');
    await patch(lab, 'metal3Remediation', 'moved', { metadata: { finalizers: null } });
    await expectGone(lab, 'metal3Remediation', 'moved');
    const anew = await remediate('moved');
    expect(await annotationsOf('moved')).toHaveProperty([keyOf(old)]);
    await pauseCluster(false);
    await detachVolume('moved');

    await expectPhase('moved', 'Waiting');
    await expectPower('moved', true);
    for (const each of [old, anew]) expect(await annotationsOf('moved')).not.toHaveProperty([keyOf(each)]);
    await remove(lab, 'metal3Remediation', 'moved');
    await expectGone(lab, 'metal3Remediation', 'moved');
  });

  test('that is remediated twice is powered off by the second only when the first is gone', async ({ skip }) => {
    atNight(skip, 'domain/remediation/entity.test.ts');
    await aRunningMachine('twice', 'today');
    await attachVolume('twice');
    await remediate('twice');
    await expectPower('twice', false);
    const second = await remediate('twice', {}, 'twice-again');
    await detachVolume('twice');
    await expectPhase('twice', 'Waiting');
    await expectPower('twice', true);
    expect(await annotationsOf('twice')).not.toHaveProperty([keyOf(second)]);
    expect(await phaseOf('twice-again')).toBeUndefined();

    await attachVolume('twice');
    await remove(lab, 'metal3Remediation', 'twice');
    await expectGone(lab, 'metal3Remediation', 'twice');
    await expectPower('twice', false);
    expect(await annotationsOf('twice')).toHaveProperty([keyOf(second)]);
    await detachVolume('twice');
    await expectPhase('twice-again', 'Waiting');
    await expectPower('twice', true);
    await remove(lab, 'metal3Remediation', 'twice-again');
    await expectGone(lab, 'metal3Remediation', 'twice-again');
  });

  test('that is deleted while it is off gives its host back, and nothing keeps that off', async ({ skip }) => {
    atNight(skip, 'domain/remediation/entity.test.ts');
    await aRunningMachine('leaving', 'today');
    await attachVolume('leaving');
    const remediation = await remediate('leaving');
    await expectPower('leaving', false);
    await remove(lab, 'metal3Machine', 'leaving');
    await remove(lab, 'machine', 'leaving');
    await expectGone(lab, 'metal3Machine', 'leaving');
    // The garbage collector deletes it with its Machine.
    await expectGone(lab, 'metal3Remediation', 'leaving');
    await hostIn(lab, 'leaving', 'available');
    expect(await annotationsOf('leaving')).not.toHaveProperty([keyOf(remediation)]);
    await editHost(lab, 'leaving', { online: true });
    await expectPower('leaving', true);
  });

  test('stays off as long as a user keeps it off, and a reboot by a user begins no second attempt', async ({
    skip,
  }) => {
    atNight(skip, 'domain/remediation/any-order.test.ts');
    const annotate = (annotations: Readonly<Record<string, string | null>>): Promise<unknown> =>
      lab.kube.patch(objectPath(HOST, { namespace: NAMESPACE, name: 'shared' }), { metadata: { annotations } });
    await aRunningMachine('shared', 'today');
    await annotate({ 'reboot.metal3.io/user': '' });
    await expectPower('shared', false);

    const remediation = await remediate('shared');
    await expectPhase('shared', 'Waiting');
    await expect
      .poll(async () => Object.keys(await annotationsOf('shared')), PATIENCE)
      .not.toContain(keyOf(remediation));
    expect(await annotationsOf('shared')).toHaveProperty(['reboot.metal3.io/user']);
    expect((await getHost(lab, 'shared'))?.status.poweredOn).toBe(false);
    const attempt = (await get(lab, 'metal3Remediation', 'shared'))?.status;

    await annotate({ 'reboot.metal3.io/user': null });
    await expectPower('shared', true);
    await annotate({ 'reboot.metal3.io': '{"mode":"hard"}' });
    await expect
      .poll(async () => Object.keys(await annotationsOf('shared')), PATIENCE)
      .not.toContain('reboot.metal3.io');
    await expectPower('shared', true);
    expect((await get(lab, 'metal3Remediation', 'shared'))?.status).toEqual(attempt);
    await remove(lab, 'metal3Remediation', 'shared');
    await expectGone(lab, 'metal3Remediation', 'shared');
  });
});

describe('a machine that does not get healthy', () => {
  const handedOver = (name: string): Promise<AnyObject> =>
    expectToShow(lab, 'machine', name, {
      status: {
        conditions: [{ type: 'OwnerRemediated', status: 'False', reason: 'WaitingForRemediation' }],
        deprecated: {
          v1beta1: {
            conditions: expect.arrayContaining([
              expect.objectContaining({ type: 'BootstrapReady' }),
              expect.objectContaining({ type: 'OwnerRemediated', status: 'False', severity: 'Warning' }),
            ]) as unknown,
          },
        },
      },
    });

  /** A remediation that has waited since the new year, begun anew by a run without memory. */
  async function remediateAfter(machine: string, retryCount: number): Promise<AnyObject> {
    const remediation = await remediate(machine, { annotations: { 'cluster.x-k8s.io/paused': '' } });
    await expect
      .poll(
        () => withTemporal(lab, async (client) => client.workflow.getHandle(workflowOf(machine)).describe()),
        PATIENCE,
      )
      .toMatchObject({ status: { name: 'RUNNING' } });
    const status = {
      phase: 'Waiting',
      ...(retryCount > 0 && { retryCount }),
      lastRemediated: '2026-01-01T00:00:00Z',
    };
    await lab.kube.patch(`${objectPath(KIND, { namespace: NAMESPACE, name: machine })}/status`, { status });
    await withTemporal(lab, (client) => client.workflow.getHandle(workflowOf(machine)).terminate('by the test'));
    await patch(lab, 'metal3Remediation', machine, { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } });
    return remediation;
  }

  test('after the first attempt is powered off and on a second time', async ({ skip }) => {
    atNight(skip, 'domain/remediation/entity.test.ts');
    await aRunningMachine('relapsed', 'today');
    await attachVolume('relapsed');
    const remediation = await remediateAfter('relapsed', 0);
    await expectPower('relapsed', false);
    expect(await annotationsOf('relapsed')).toHaveProperty([keyOf(remediation)]);
    await detachVolume('relapsed');
    await expectToShow(lab, 'metal3Remediation', 'relapsed', { status: { phase: 'Waiting', retryCount: 1 } });
    await expectPower('relapsed', true);
    expect(await annotationsOf('relapsed')).not.toHaveProperty([keyOf(remediation)]);
    await keepRuns(lab, 'retried', workflowOf('relapsed'), ({ status }) => status === 'RUNNING');
    await remove(lab, 'metal3Remediation', 'relapsed');
    await expectGone(lab, 'metal3Remediation', 'relapsed');
  });

  test('after the last retry is handed over to Cluster API, and its host is marked before', async () => {
    await aRunningMachine('hopeless', 'today');
    const remediation = await remediateAfter('hopeless', 1);
    await handedOver('hopeless');
    await expectPhase('hopeless', 'Deleting machine');
    expect(await annotationsOf('hopeless')).toMatchObject({ [UNHEALTHY]: 'capm3/UnhealthyNode' });
    expect(await annotationsOf('hopeless')).not.toHaveProperty([keyOf(remediation)]);
    await keepRuns(lab, 'handed-over', workflowOf('hopeless'), ({ status }) => status === 'RUNNING');
    await remove(lab, 'metal3Remediation', 'hopeless');
    await expectGone(lab, 'metal3Remediation', 'hopeless');
  });

  test('because its host is gone is handed over at once', async ({ skip }) => {
    atNight(skip, 'domain/remediation/end-of-attempt.test.ts');
    await aRunningMachine('hostless', 'today');
    await editHost(lab, 'hostless', { online: true });
    await lab.kube.request({ method: 'DELETE', path: objectPath(HOST, { namespace: NAMESPACE, name: 'hostless' }) });
    await hostGone(lab, 'hostless');
    await remediate('hostless');
    await handedOver('hostless');
    await expectPhase('hostless', 'Deleting machine');
  });
});

test('a host that is to be off is not remediated', async () => {
  await aRunningMachine('stopped', 'today');
  // Otherwise it would ask for its host to be on.
  await patch(lab, 'metal3Machine', 'stopped', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
  await editHost(lab, 'stopped', { online: false });
  await expectPower('stopped', false);
  await remediate('stopped');
  await expectPhase('stopped', 'Failed');
  expect(Object.keys(await annotationsOf('stopped')).filter((key) => key.startsWith('reboot'))).toEqual([]);
});

const KIND = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', plural: 'metal3remediations' };
const HOST = { apiVersion: 'metal3.io/v1alpha1', plural: 'baremetalhosts' };
