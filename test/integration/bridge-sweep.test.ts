import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NodeStateJson } from '../../domain/ironic/node/node-json.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { openScene, PATIENCE, recordOf, type Scene, viewOf } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';

const OFF: NodeStateJson = {
  uuid: '',
  name: null,
  provision_state: 'active',
  target_provision_state: null,
  power_state: 'power off',
  target_power_state: null,
  last_error: null,
  maintenance: false,
  fault: null,
  boot_interface: null,
  health: null,
};

let scene: Scene;
/** Ironic's answer to each list of its nodes. */
let answer: () => readonly NodeStateJson[];
let looks = 0;

beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
  await scene.startRecorder();
  const listNodes = async (): Promise<readonly NodeStateJson[]> => {
    looks += 1;
    return answer();
  };
  scene.startBridge({ nodes: { listNodes, intervalMs: 100 } });
});
afterAll(() => scene.end());
beforeEach(() => {
  answer = () => [];
});

/** A provisioned host that shows its power as on, with a node of its own; returns its uid. */
async function aRunningHost(name: string): Promise<string> {
  const host = await scene.createHost(name);
  await expect.poll(() => scene.recorded(name), PATIENCE).toMatchObject({ snapshots: [expect.anything()] });
  const status = recordOf('provisioned');
  const shown = { ...status, poweredOn: true, provisioning: { ...status.provisioning, ID: nodeOf(name) } };
  await scene.show(viewOf(host, 'provisioned', { status: shown }));
  await expect.poll(async () => (await scene.recorded(name)).answers, PATIENCE).toEqual(['published']);
  return host.metadata.uid ?? '';
}
const nodeOf = (name: string): string => `node-of-${name}`;
const isOn = (name: string): NodeStateJson => ({ ...OFF, uuid: nodeOf(name), power_state: 'power on' });
const isOff = (name: string): NodeStateJson => ({ ...OFF, uuid: nodeOf(name) });

/** The first observation of its node that the host's workflow got. */
const toldOf = async (name: string): Promise<unknown> => (await scene.recorded(name)).nodes[0];

describe('a look through all of Ironic’s nodes', () => {
  test('signals the host whose node differs from its status, and no other', async () => {
    const nodes = [isOn('switched'), isOn('steady')];
    answer = () => nodes;
    const uid = await aRunningHost('switched');
    await aRunningHost('steady');
    await scene.createHost('without-a-node');

    nodes[0] = isOff('switched');

    await expect
      .poll(() => toldOf('switched'), PATIENCE)
      .toMatchObject({ uid, nodeId: nodeOf('switched'), node: { id: nodeOf('switched'), poweredOn: false } });
    expect(await Promise.all(['steady', 'without-a-node'].map(toldOf))).toEqual([undefined, undefined]);
  });

  test('signals a host that its node is gone', async () => {
    answer = () => [isOn('lost')];
    const uid = await aRunningHost('lost');

    answer = () => [];

    await expect.poll(() => toldOf('lost'), PATIENCE).toEqual({ uid, nodeId: nodeOf('lost'), node: null });
  });

  test('sends an observation once, and again when the host shows something new and still differs', async () => {
    answer = () => [isOff('ignored')];
    await aRunningHost('ignored');
    const nodes = async () => (await scene.recorded('ignored')).nodes;
    await expect.poll(nodes, PATIENCE).toHaveLength(1);
    const before = looks;
    await expect.poll(() => looks, PATIENCE).toBeGreaterThan(before + 2);
    expect(await nodes()).toHaveLength(1);

    const host = await scene.host('ignored');
    if (host === undefined) throw new Error('there is no such host');
    const status = { ...recordOf('provisioned'), poweredOn: true, errorCount: 1 };
    const shown = { ...status, provisioning: { ...status.provisioning, ID: nodeOf('ignored') } };
    await scene.show(viewOf(host, 'provisioned', { status: shown, revision: 2 }));
    await expect.poll(nodes, PATIENCE).toHaveLength(2);
  });

  test('is kept from no host by one whose run is missing, which begins again', async () => {
    answer = () => [isOn('a-missing'), isOn('b-present')];
    await aRunningHost('a-missing');
    await aRunningHost('b-present');
    const id = hostWorkflowId({ namespace: scene.namespace, name: 'a-missing' });
    await scene.client.workflow.getHandle(id).terminate('by hand');

    answer = () => [isOff('a-missing'), isOff('b-present')];

    await expect.poll(() => toldOf('b-present'), PATIENCE).toMatchObject({ node: { poweredOn: false } });
    await expect.poll(() => scene.recorded('a-missing'), PATIENCE).toMatchObject({ snapshots: [expect.anything()] });
  });

  test('goes on after one that failed', async () => {
    answer = () => [isOn('patient')];
    await aRunningHost('patient');

    answer = () => {
      throw new Error('Ironic is away');
    };
    const before = looks;
    await expect.poll(() => looks, PATIENCE).toBeGreaterThan(before + 1);
    expect(await toldOf('patient')).toBeUndefined();

    answer = () => [isOff('patient')];
    await expect.poll(() => toldOf('patient'), PATIENCE).toMatchObject({ node: { poweredOn: false } });
  });
});
