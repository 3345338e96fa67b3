import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entityWorkflowId } from '../../workflows/messages.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { keepRuns } from './support/histories.ts';
import { getHost, hostIn, NAMESPACE } from './support/hosts.ts';
import {
  addressOf,
  aFreeHostOfItsAddress,
  anOwner,
  expectNodeGone,
  findNode,
  IMAGE,
  joinMachineApiLab,
  KEPT_OFF,
  killBoth,
  type Node,
  OPENSHIFT,
  REQUESTED,
  registerNode,
  specFor,
} from './support/machine-api.ts';
import { type AnyObject, create, expectGone, expectToShow, get, PATIENCE, patch, remove } from './support/machines.ts';

/** Sick Machines of the Machine API on hosts of the fixture; the test is their kubelet. */

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinMachineApiLab({
    MACHINE_API: 'all',
    MACHINE_API_IMAGE_URL: IMAGE.url,
    MACHINE_API_IMAGE_CHECKSUM: IMAGE.checksum,
  });
});
afterAll(() => lab?.stop());

const MACHINE = 'Machine.machine.openshift.io';
const workflowOf = (kind: string, name: string): string => entityWorkflowId(kind, { namespace: NAMESPACE, name });

describe('a Machine that is to be remediated', () => {
  const expectPower = (host: string, poweredOn: boolean): Promise<void> =>
    expect.poll(async () => (await getHost(lab, host))?.status.poweredOn, PATIENCE).toBe(poweredOn);

  /** A Machine that runs as a Node, and has a controller; all have this name. */
  async function running(name: string): Promise<Node> {
    await aFreeHostOfItsAddress(lab, name);
    const owner = await anOwner(lab, name);
    const labels = { sick: name };
    await create(lab, 'openShiftMachine', name, {
      metadata: { ownerReferences: [owner], labels },
      spec: specFor(name, { userData: {} }),
    });
    const machine = await expectToShow(lab, 'openShiftMachine', name, { status: { phase: 'Provisioned' } });
    const node = await registerNode(lab, name, addressOf(machine), { labels: { 'example.com/rack': '7' } });
    await expectToShow(lab, 'openShiftMachine', name, { status: { phase: 'Running' } });
    return node;
  }
  const remediate = (name: string): Promise<unknown> =>
    patch(lab, 'openShiftMachine', name, { metadata: { annotations: { [REQUESTED]: '' } } });

  test('is rebooted, and its new Node has what the old one had, whatever dies meanwhile', async () => {
    const old = await running('ma-sick');
    await remediate('ma-sick');
    await expectNodeGone(lab, 'ma-sick');
    await killBoth(lab);
    await expectToShow(lab, 'openShiftMachine', 'ma-sick', {
      metadata: {
        annotations: {
          'remediation.metal3.io/powered-off-for-remediation': '',
          'remediation.metal3.io/power-on-will-timeout-at': expect.stringMatching(/^20/) as unknown,
        },
      },
    });
    await expectPower('ma-sick', true);
    expect((await getHost(lab, 'ma-sick'))?.metadata.annotations).not.toHaveProperty([KEPT_OFF]);
    const machine = await get(lab, 'openShiftMachine', 'ma-sick');
    const node = await registerNode(lab, 'ma-sick', addressOf(machine ?? { status: {} }));
    expect(node.metadata.uid).not.toBe(old.metadata.uid);
    await expect
      .poll(() => findNode(lab, 'ma-sick'), PATIENCE)
      .toMatchObject({ metadata: { labels: { 'example.com/rack': '7' } }, spec: old.spec });
    await expect
      .poll(
        async () => Object.keys((await get(lab, 'openShiftMachine', 'ma-sick'))?.metadata.annotations ?? {}),
        PATIENCE,
      )
      .toEqual(['machine.openshift.io/instance-state', 'metal3.io/BareMetalHost']);
    await keepRuns(lab, 'machine-api-remediated', workflowOf(MACHINE, 'ma-sick'), ({ status }) => status === 'RUNNING');
  });

  test('by a Metal3Remediation is rebooted, and its Node has what the old one had, whatever dies meanwhile', async () => {
    await running('ma-metal3');
    const { metadata } = (await get(lab, 'openShiftMachine', 'ma-metal3')) as AnyObject;
    const remediation = await create(lab, 'metal3Remediation', 'ma-metal3', {
      metadata: { ownerReferences: [{ apiVersion: OPENSHIFT, kind: 'Machine', name: 'ma-metal3', uid: metadata.uid }] },
      spec: { strategy: { type: 'Reboot', retryLimit: 1, timeoutSeconds: 3_600 } },
    });
    await expectNodeGone(lab, 'ma-metal3');
    await killBoth(lab);
    await expectToShow(lab, 'metal3Remediation', 'ma-metal3', { status: { phase: 'Waiting' } });
    await expectPower('ma-metal3', true);
    const key = `reboot.metal3.io/metal3-remediation-${remediation.metadata.uid}`;
    expect((await getHost(lab, 'ma-metal3'))?.metadata.annotations).not.toHaveProperty([key]);
    const machine = await get(lab, 'openShiftMachine', 'ma-metal3');
    await registerNode(lab, 'ma-metal3', addressOf(machine ?? { status: {} }));
    await expect
      .poll(() => findNode(lab, 'ma-metal3'), PATIENCE)
      .toMatchObject({ metadata: { labels: { 'example.com/rack': '7' } } });
    await keepRuns(lab, 'machine-api-by-metal3', workflowOf('Metal3Remediation', 'ma-metal3'));
    await remove(lab, 'metal3Remediation', 'ma-metal3');
    await expectGone(lab, 'metal3Remediation', 'ma-metal3');
    await expectToShow(lab, 'openShiftMachine', 'ma-metal3', { status: { phase: 'Running' } });
  });

  test('is deleted when its Node does not come back in the time of its MachineHealthCheck', async () => {
    const selector = { matchLabels: { sick: 'ma-hopeless' } };
    await create(lab, 'healthCheck', 'quick', { spec: { selector, nodeStartupTimeout: '1s' } });
    await running('ma-hopeless');
    await remediate('ma-hopeless');
    await expectGone(lab, 'openShiftMachine', 'ma-hopeless');
    await hostIn(lab, 'ma-hopeless', 'available');
    expect((await getHost(lab, 'ma-hopeless'))?.metadata.annotations).not.toHaveProperty([KEPT_OFF]);
  });
});
