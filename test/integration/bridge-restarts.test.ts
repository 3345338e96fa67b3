import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { askRuns } from '../../cli/explain/run.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { kstatusOf } from '../kstatus/kstatus.ts';
import { type Breakable, startBreakableControlPlane } from './bridge/control-plane.ts';
import {
  ANY_VERSION,
  createUnreadableHost,
  eventsOf,
  openScene,
  PATIENCE,
  type Scene,
  viewOf,
} from './bridge/harness.ts';
import { know } from './bridge/recorder-workflow.ts';

let servers: Breakable;
let scene: Scene;
let bridge: ReturnType<Scene['startBridge']>;

beforeAll(async () => {
  servers = await startBreakableControlPlane();
});
afterAll(() => servers.close());
beforeEach(async () => {
  scene = await openScene(servers);
  await scene.startRecorder();
  bridge = scene.startBridge();
});
afterEach(() => scene.end());

const lastSeen = (name: string) =>
  expect.poll(async () => (await scene.recorded(name)).snapshots.at(-1), { ...PATIENCE, timeout: 120_000 });

describe('when the API server is killed', () => {
  test('every change made once it is back arrives, seen by the watch or not', async () => {
    const names = ['a', 'b', 'c'];
    for (const name of names) await scene.createHost(name);
    for (const name of names) await lastSeen(name).toMatchObject({ generation: 1 });

    await servers.supervisor.kill('kube-apiserver', 'SIGKILL');
    await servers.supervisor.startAgain('kube-apiserver');
    await scene.patchHost('a', { spec: { description: 'changed' } });
    await scene.createSecret('b-bmc');
    await scene.deleteHost('c');
    await scene.createHost('d');

    await lastSeen('a').toMatchObject({ generation: 2, spec: { description: 'changed' } });
    await lastSeen('b').toMatchObject({ bmcSecret: { resourceVersion: ANY_VERSION } });
    await lastSeen('d').toMatchObject({ generation: 1 });
    await expect.poll(async () => (await scene.recorded('c')).vanished, PATIENCE).toHaveLength(1);
  });

  test('what a workflow shows meanwhile is shown once it is back', async () => {
    const host = await scene.createHost('patient');
    await lastSeen('patient').toMatchObject({ generation: 1 });

    await servers.supervisor.kill('kube-apiserver', 'SIGKILL');
    await scene.show(viewOf(host, 'inspecting', { revision: 1 }));
    await servers.supervisor.startAgain('kube-apiserver');

    await expect
      .poll(() => scene.host('patient'), PATIENCE)
      .toMatchObject({ status: { provisioning: { state: 'inspecting' } } });
  });
});

describe('when Temporal is killed', () => {
  test('every change made meanwhile arrives once it is back, and views go on being shown', async () => {
    const host = await scene.createHost('a');
    await lastSeen('a').toMatchObject({ generation: 1 });

    await servers.supervisor.kill('temporal', 'SIGKILL');
    await scene.patchHost('a', { spec: { description: 'changed' } });
    await scene.createHost('b');
    await servers.supervisor.startAgain('temporal');

    await lastSeen('a').toMatchObject({ generation: 2, spec: { description: 'changed' } });
    await lastSeen('b').toMatchObject({ generation: 1 });
    await scene.show(viewOf(host, 'inspecting'));
    await expect
      .poll(() => scene.host('a'), PATIENCE)
      .toMatchObject({ status: { provisioning: { state: 'inspecting' } } });
  });

  test('a host whose spec is changed meanwhile is in progress, and no other host is written', async () => {
    const [changed, resting] = [await scene.createHost('changed'), await scene.createHost('resting')];
    for (const host of [changed, resting]) await scene.show(viewOf(host, 'provisioned'));
    const kstatus = (name: string) => expect.poll(async () => kstatusOf(await scene.host(name)), PATIENCE);
    for (const name of ['changed', 'resting']) {
      await expect
        .poll(() => scene.host(name), PATIENCE)
        .toMatchObject({ status: { provisioning: { state: 'provisioned' } } });
      await kstatus(name).toBe('Current');
    }
    const before = await scene.host('resting');
    const down = () => expect.poll(() => bridge.missing().filter((line) => line.startsWith('Temporal')), PATIENCE);

    await servers.supervisor.kill('temporal', 'SIGKILL');
    await down().toHaveLength(1);
    await scene.patchHost('changed', { spec: { online: false } });
    await kstatus('changed').toBe('InProgress');
    expect((await scene.host('changed'))?.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Reconciling',
        reason: 'TemporalDoesNotAnswer',
        message: expect.stringContaining(`Temporal at ${servers.temporalAddress} does not answer`) as string,
      }),
    );
    const meanwhile = await scene.host('resting');
    await servers.supervisor.startAgain('temporal');
    await down().toEqual([]);
    expect(meanwhile).toEqual(before);

    await lastSeen('changed').toMatchObject({ generation: 2 });
    const seen = await scene.host('changed');
    if (seen === undefined) throw new Error('the host is gone');
    await scene.show(viewOf(seen, 'provisioned', { revision: 2 }));
    await kstatus('changed').toBe('Current');
  });

  test('and comes back with its memory, nothing is signalled that workflows know already', async () => {
    const host = await scene.createHost('known');
    await lastSeen('known').toMatchObject({ generation: 1 });

    await scene.client.workflow.getHandle(hostWorkflowId(host.metadata)).signal(know, viewOf(host, 'available'));
    expect(await scene.recorded('known')).toMatchObject({ snapshots: [{ generation: 1 }] });

    await servers.supervisor.kill('temporal', 'SIGKILL');
    await expect
      .poll(() => bridge.missing(), PATIENCE)
      .toContainEqual(
        expect.stringMatching(/^Temporal at 127\.0\.0\.1:\d+ does not answer: connect ECONNREFUSED 127\.0\.0\.1:\d+$/),
      );
    const { temporalAddress } = servers;
    expect(await askRuns({ temporalAddress })([])).toMatchObject({
      where: temporalAddress,
      why: `connect ECONNREFUSED ${temporalAddress}`,
    });
    await servers.supervisor.startAgain('temporal');

    // It was asked what there is to be shown.
    await expect
      .poll(() => scene.host('known'), { ...PATIENCE, timeout: 120_000 })
      .toMatchObject({ status: { provisioning: { state: 'available' } } });
    expect((await scene.recorded('known')).snapshots).toHaveLength(1);
  });

  test('and comes back without its memory, every host is signalled again', async () => {
    await scene.createHost('a');
    await lastSeen('a').toMatchObject({ generation: 1 });

    await servers.supervisor.kill('temporal', 'SIGKILL');
    for (const file of readdirSync(servers.dir)) {
      if (file.startsWith('temporal.db')) rmSync(join(servers.dir, file));
    }
    await servers.supervisor.startAgain('temporal');

    await expect.poll(() => scene.recorded('a'), PATIENCE).toMatchObject({ snapshots: [{ name: 'a', generation: 1 }] });
  });
});

// Here, because it changes a CRD, which ends the watches of everybody.
describe('a host', () => {
  test('that cannot be read is complained about once and stops no other', async () => {
    const bad = await createUnreadableHost(scene, 'broken');
    await scene.createHost('fine');

    await lastSeen('fine').toMatchObject({ generation: 1 });
    await expect
      .poll(() => eventsOf(scene, 'broken'), PATIENCE)
      .toMatchObject([{ type: 'Warning', reason: 'InvalidHost', involvedObject: { uid: bad.metadata.uid } }]);
    const count = 'controller_runtime_terminal_reconcile_errors_total{controller="baremetalhost"}';
    await expect.poll(() => scene.metrics(), PATIENCE).toContain(`${count} 1\n`);
  });
});
