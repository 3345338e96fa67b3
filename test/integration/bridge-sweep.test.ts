import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NodeStateJson } from '../../domain/ironic/node/node-json.ts';
import { learned, type UsualTimes, usualTime } from '../../domain/usual-times/usual-times.ts';
import { readUsualTimes, USUAL_TIMES, usualTimesData } from '../../kube/objects/usual-times.ts';
import { configMapPath } from '../../kube/paths.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { aNodeState } from '../builders/node.ts';
import { eventsOf, openScene, PATIENCE, recordOf, type Scene, viewOf } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';

const OFF = aNodeState({ provision_state: 'active', power_state: 'power off' });

/** Lists within two seconds: after them, the status is older than the last list by more than its whole seconds. */
const SETTLED = 30;

let scene: Scene;
/** Ironic's answer to each list of its nodes. */
let answer: () => readonly NodeStateJson[];
let looks = 0;
let bridge: ReturnType<Scene['startBridge']>;

beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
  await scene.startRecorder();
  const listNodes = async (): Promise<readonly NodeStateJson[]> => {
    looks += 1;
    return answer();
  };
  bridge = scene.startBridge({ nodes: { listNodes, intervalMs: 100 } });
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
  await scene.show(viewOf(host, 'provisioned', { shown: { status: shown } }));
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

  test('signals a host at rest once that Ironic has switched its server by itself', async () => {
    const at = (time: string): NodeStateJson => ({
      ...isOn('restored'),
      driver_internal_info: { last_power_state_change: time },
    });
    answer = () => [at('2026-01-01T00:00:00.5')];
    await aRunningHost('restored');
    const seenAgain = looks + SETTLED;
    await expect.poll(() => looks, PATIENCE).toBeGreaterThan(seenAgain);
    expect(await toldOf('restored')).toBeUndefined();

    // While Ironic switches it.
    const switching = looks + 2;
    answer = () => [{ ...at('2026-01-01T00:01:00.5'), target_power_state: 'power on' }];
    await expect.poll(() => looks, PATIENCE).toBeGreaterThan(switching);
    answer = () => [at('2026-01-01T00:01:00.5')];
    const nodes = async () => (await scene.recorded('restored')).nodes;
    await expect.poll(nodes, PATIENCE).toMatchObject([{ switchedByIronicAt: '2026-01-01T00:01:00Z' }]);
    const before = looks;
    await expect.poll(() => looks, PATIENCE).toBeGreaterThan(before + 2);
    expect(await nodes()).toHaveLength(1);
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
    await scene.show(viewOf(host, 'provisioned', { revision: 2, shown: { status: shown } }));
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

describe('a host that is in a state for much longer than usual', () => {
  const HOUR_MS = 3_600_000;
  const SWEEP_MS = 200;
  beforeAll(async () => {
    await bridge.stop();
    bridge = scene.startBridge({ sweepMs: SWEEP_MS });
  });

  const stuckOf = async (name: string): Promise<unknown> =>
    ((await scene.host(name))?.status?.conditions ?? []).filter(({ type }) => type === 'Stuck');
  const stateOf = async (name: string): Promise<unknown> => (await scene.host(name))?.status?.provisioning?.state;
  const ofMetric = async (): Promise<string | undefined> =>
    /^temper_stuck_hosts\{state="inspecting",cause="longer-than-usual"\} (\d+)$/m.exec(await scene.metrics())?.[1];
  const SAID = expect.stringMatching(
    /^The host is inspecting since .*\. That usually takes at most 10m0s.* The host is in its state for longer than usual, /,
  ) as unknown;

  test('shows that and its cause as a condition, in an Event and in a metric, until it goes on', async () => {
    const host = await scene.createHost('hung');
    await scene.createHost('well');
    const well = (await scene.host('well')) ?? host;
    await scene.show(viewOf(well, 'inspecting'));
    await scene.show(viewOf(host, 'inspecting', { at: Date.now() - 3 * HOUR_MS }));

    await expect
      .poll(() => stuckOf('hung'), PATIENCE)
      .toMatchObject([{ status: 'True', reason: 'LongerThanUsual', message: SAID }]);
    await expect.poll(ofMetric, PATIENCE).toBe('1');
    const { uid } = host.metadata;
    await expect
      .poll(async () => (await scene.recorded('hung')).stuck, PATIENCE)
      .toEqual([{ uid, state: 'inspecting' }]);
    expect(await stuckOf('well')).toEqual([]);
    expect((await scene.recorded('well')).stuck).toEqual([]);

    // Neither another look, nor another status of the same state, nor a bridge that starts changes it.
    const powered = { ...recordOf('inspecting'), poweredOn: true };
    await scene.show(viewOf(host, 'inspecting', { revision: 2, shown: { status: powered } }));
    await expect.poll(async () => (await scene.host('hung'))?.status?.poweredOn, PATIENCE).toBe(true);
    await bridge.stop();
    bridge = scene.startBridge({ sweepMs: SWEEP_MS });
    await scene.show(viewOf(host, 'inspecting', { revision: 3 }));
    await expect.poll(async () => (await scene.host('hung'))?.status?.poweredOn, PATIENCE).toBe(false);
    await expect.poll(ofMetric, PATIENCE).toBe('1');
    const events = async (): Promise<unknown> => eventsOf(scene, 'hung');
    expect(await events()).toMatchObject([{ type: 'Warning', reason: 'HostStuck', message: SAID }]);

    await scene.show(viewOf(host, 'preparing', { revision: 4 }));
    await expect.poll(() => stateOf('hung'), PATIENCE).toBe('preparing');
    expect(await stuckOf('hung')).toEqual([]);
    await expect.poll(ofMetric, PATIENCE).toBe('0');
  });

  test('is judged by what an earlier bridge has learned', async () => {
    await bridge.stop();
    const model = 'unknown, redfish';
    const times = Array.from({ length: 40 }).reduce<UsualTimes>(
      (known) => learned(known, model, { state: 'inspecting', ms: 60_000 }, Date.now()),
      {},
    );
    const { namespace, kube } = scene;
    const metadata = { namespace, name: USUAL_TIMES };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: usualTimesData(times) };
    await kube.request({ method: 'POST', path: configMapPath({ namespace }), body });
    bridge = scene.startBridge({ sweepMs: SWEEP_MS });
    const host = await scene.createHost('slow');
    await scene.show(viewOf(host, 'inspecting', { at: Date.now() - HOUR_MS }));
    const message = expect.stringContaining("measured 40 times on hardware 'unknown, redfish'") as unknown;
    await expect.poll(() => stuckOf('slow'), PATIENCE).toMatchObject([{ message }]);

    // What a bridge has not seen from its beginning to its end does not count. A busy bridge may have lost its Lease,
    // or may write a status in a second attempt, so that another host passes when one was not counted.
    let passed = 0;
    const countAfterAnother = async (): Promise<number> => {
      passed += 1;
      const name = `quick-${passed}`;
      const quick = await scene.createHost(name);
      const at = Date.now() - 60_000;
      await scene.show(viewOf(quick, 'inspecting', { at }));
      await expect.poll(() => stateOf(name), PATIENCE).toBe('inspecting');
      await scene.show(viewOf(quick, 'preparing', { revision: 2, at: at + 60_000 }));
      await expect.poll(() => stateOf(name), PATIENCE).toBe('preparing');
      const kept = readUsualTimes(await kube.find(configMapPath({ namespace, name: USUAL_TIMES }))) ?? {};
      return usualTime(kept, model, 'inspecting').count;
    };
    await expect.poll(countAfterAnother, PATIENCE).toBeGreaterThan(40);
  });
});
