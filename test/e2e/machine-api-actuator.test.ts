import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodePath } from '../../kube/paths.ts';
import { entityWorkflowId, view } from '../../workflows/messages.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { keepRuns, withTemporal } from './support/histories.ts';
import { getHost, hostIn, hostThat, NAMESPACE } from './support/hosts.ts';
import {
  addressOf,
  aFreeHostOfItsAddress,
  consumerNamed,
  expectNodeGone,
  findNode,
  IMAGE,
  joinMachineApiLab,
  killBothAtNight,
  OPENSHIFT,
  REQUESTED,
  registerNode,
  specFor,
} from './support/machine-api.ts';
import {
  type AnyObject,
  create,
  expectGone,
  expectToShow,
  get,
  list,
  PATIENCE,
  patch,
  remove,
} from './support/machines.ts';

/**
 * With `MACHINE_API=actuator` Temper is only the actuator of OpenShift's Machines. The test is what OpenShift has
 * besides: the machine controller, the nodelink controller, the MachineSet controller, and the kubelet. Bridge and workers
 * are killed while the Machine gets its host, while it is remediated, and while it gives its host back.
 */
let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinMachineApiLab({ MACHINE_API: 'actuator' });
});
afterAll(async () => lab?.stop());

const OF_CONTROLLER = 'machine.machine.openshift.io';
const OURS = 'actuator.temper.metal3.io';
const NAME = 'actuated';
const workflowId = (): string => entityWorkflowId('Machine.machine.openshift.io', { namespace: NAMESPACE, name: NAME });

const say = (status: object): Promise<unknown> => patch(lab, 'openShiftMachine', NAME, { status }, '/status');
/** As the drain controller of OpenShift, when it has drained the Node of a Machine that is being deleted. */
async function sayDrained(name: string): Promise<void> {
  const { conditions = [] } = (await get(lab, 'openShiftMachine', name))?.status ?? {};
  const drained = { type: 'Drained', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await patch(lab, 'openShiftMachine', name, { status: { conditions: [...conditions, drained] } }, '/status');
}
const finalizersOf = async (name: string): Promise<readonly string[] | undefined> =>
  (await get(lab, 'openShiftMachine', name))?.metadata.finalizers;
const takeUp = (name: string): Promise<unknown> =>
  patch(lab, 'openShiftMachine', name, { metadata: { finalizers: [OF_CONTROLLER] } });
const letGo = (name: string): Promise<unknown> =>
  patch(lab, 'openShiftMachine', name, { metadata: { finalizers: null } });

describe('a Machine of OpenShift, beside OpenShift’s own controllers', () => {
  let machine: AnyObject;

  test('gets a host once the machine controller has taken it up', async () => {
    const { metadata: host } = await aFreeHostOfItsAddress(lab, NAME);
    await create(lab, 'openShiftMachine', 'untaken', { spec: specFor(NAME, { userData: {} }) });
    await create(lab, 'openShiftMachine', NAME, {
      metadata: { finalizers: [OF_CONTROLLER] },
      spec: specFor(NAME, { userData: {} }),
      status: { phase: 'Provisioning' },
    });
    await expectToShow(lab, 'host', NAME, { spec: { consumerRef: consumerNamed(NAME, OPENSHIFT) } });
    await killBothAtNight(lab);
    await hostIn(lab, NAME, 'provisioned');
    machine = await expectToShow(lab, 'openShiftMachine', NAME, {
      metadata: { finalizers: [OF_CONTROLLER, OURS] },
      spec: { providerID: `baremetalhost:///${NAMESPACE}/${NAME}/${host.uid}` },
      status: {
        phase: 'Provisioning',
        addresses: expect.arrayContaining([expect.objectContaining({ type: 'InternalIP' })]) as unknown,
      },
    });
    const untaken = await get(lab, 'openShiftMachine', 'untaken');
    expect(untaken?.metadata).toMatchObject({ finalizers: [], annotations: {} });
    expect(untaken?.status).toEqual({ conditions: [] });
  });

  test('is linked with its Node, and phase and nodeRef are those that others write', async () => {
    await say({ phase: 'Provisioned' });
    const { metadata } = await registerNode(lab, NAME, addressOf(machine));
    await expect
      .poll(() => findNode(lab, NAME), PATIENCE)
      .toMatchObject({
        spec: { providerID: machine.spec['providerID'] },
        metadata: { annotations: { 'machine.openshift.io/machine': `${NAMESPACE}/${NAME}` } },
      });
    expect((await get(lab, 'openShiftMachine', NAME))?.status).toMatchObject({ phase: 'Provisioned' });
    expect((await get(lab, 'openShiftMachine', NAME))?.status).not.toHaveProperty('nodeRef');
    const nodeRef = { kind: 'Node', name: NAME, uid: metadata.uid };
    await say({ phase: 'Running', nodeRef });
    // Temper writes the status again, and leaves them as they are.
    const spec = { providerSpec: { value: { userData: { name: 'other' } } } };
    await patch(lab, 'openShiftMachine', NAME, { spec });
    const generation = (await get(lab, 'openShiftMachine', NAME))?.metadata['generation'];
    await expectToShow(lab, 'openShiftMachine', NAME, {
      status: { phase: 'Running', nodeRef, conditions: [{ observedGeneration: generation }] },
    });
  });

  test('is rebooted when its annotation asks for a remediation, and its new Node has what the old one had', async () => {
    await lab.kube.patch(nodePath(NAME), { metadata: { labels: { 'example.com/rack': '7' } } });
    await patch(lab, 'openShiftMachine', NAME, { metadata: { annotations: { [REQUESTED]: '' } } });
    await expectNodeGone(lab, NAME);
    await killBothAtNight(lab);
    await expectToShow(lab, 'openShiftMachine', NAME, {
      metadata: { annotations: { 'remediation.metal3.io/powered-off-for-remediation': '' } },
    });
    await hostThat(lab, NAME, 'on again', ({ status }) => status.poweredOn);
    const { metadata } = await registerNode(lab, NAME, addressOf(machine));
    await say({ nodeRef: { kind: 'Node', name: NAME, uid: metadata.uid } });
    await expect
      .poll(() => findNode(lab, NAME), PATIENCE)
      .toMatchObject({ metadata: { labels: { 'example.com/rack': '7' } } });
    await expect
      .poll(async () => Object.keys((await get(lab, 'openShiftMachine', NAME))?.metadata.annotations ?? {}), PATIENCE)
      .toEqual(['machine.openshift.io/instance-state', 'metal3.io/BareMetalHost']);
    expect((await get(lab, 'openShiftMachine', NAME))?.status).toMatchObject({ phase: 'Running' });
  });

  test('keeps its host while its Node is drained, until the condition says that it is', async () => {
    await remove(lab, 'openShiftMachine', NAME);
    await say({ phase: 'Deleting' });
    const waitingFor = (): Promise<string | undefined> =>
      withTemporal(lab, async (client) => (await client.workflow.getHandle(workflowId()).query(view))?.waitingFor);
    await expect.poll(waitingFor, PATIENCE).toBe('being deleted: waiting until its Node is drained');
    expect(await finalizersOf(NAME)).toEqual([OF_CONTROLLER, OURS]);
    expect((await getHost(lab, NAME))?.spec).toMatchObject({ image: IMAGE, online: true });
  });

  test('is held until its host is released; its Node and its end are the machine controller’s', async () => {
    await sayDrained(NAME);
    await killBothAtNight(lab);
    await expect.poll(() => finalizersOf(NAME), PATIENCE).toEqual([OF_CONTROLLER]);
    expect((await getHost(lab, NAME))?.spec).not.toHaveProperty('image');
    expect((await get(lab, 'openShiftMachine', NAME))?.status).toMatchObject({ phase: 'Deleting' });
    expect(await findNode(lab, NAME)).toBeDefined();
    await lab.kube.request({ method: 'DELETE', path: `/api/v1/nodes/${NAME}` });
    await expectNodeGone(lab, NAME);
    await letGo(NAME);
    await expectGone(lab, 'openShiftMachine', NAME);
    await keepRuns(lab, 'machine-api-actuator', workflowId());
  });

  test('that was left alone gets the host when it is taken up', async () => {
    await takeUp('untaken');
    await expectToShow(lab, 'host', NAME, { spec: { consumerRef: consumerNamed('untaken', OPENSHIFT) } });
    await remove(lab, 'openShiftMachine', 'untaken');
    await sayDrained('untaken');
    await expect.poll(() => finalizersOf('untaken'), PATIENCE).toEqual([OF_CONTROLLER]);
    await letGo('untaken');
    await expectGone(lab, 'openShiftMachine', 'untaken');
  });
});

test('a MachineSet is scaled to the hosts, and its Machines are made by the MachineSet controller', async () => {
  await aFreeHostOfItsAddress(lab, 'actuated-set');
  await create(lab, 'openShiftMachineSet', 'actuated', {
    metadata: { annotations: { 'metal3.io/autoscale-to-hosts': '' } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { set: 'actuated' } },
      template: { metadata: { labels: { set: 'actuated' } }, spec: specFor('actuated-set', { userData: {} }) },
    },
  });
  const { status } = await expectToShow(lab, 'openShiftMachineSet', 'actuated', { spec: { replicas: 1 } });
  expect(status).toEqual({ conditions: [] });
  expect(await list(lab, 'openShiftMachine')).toEqual([]);
});
