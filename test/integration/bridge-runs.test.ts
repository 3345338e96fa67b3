import type { SignalDefinition } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createHostRequests } from '../../activities/requests/request-host.ts';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { askRuns } from '../../cli/explain/run.ts';
import { hostPath } from '../../kube/paths.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { ANYTHING, eventsOf, openScene, PATIENCE, type Scene, viewOf } from './bridge/harness.ts';
import { beginBroken, beginDiverging, breakDown, diverge, finish, know } from './bridge/recorder-workflow.ts';
import { sharedControlPlane } from './control-plane.ts';

const SWEEPING = { sweepMs: 300 };

let scene: Scene;
let bridge: ReturnType<Scene['startBridge']>;

beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
  await scene.startRecorder({ forgets: true });
  bridge = scene.startBridge(SWEEPING);
});
afterAll(() => scene.end());

const observationsOf = async (name: string) => (await scene.recorded(name)).observations;
const told = (name: string) => expect.poll(() => observationsOf(name), PATIENCE).toEqual([ANYTHING]);
const handleOf = (name: string) =>
  scene.client.workflow.getHandle(hostWorkflowId({ namespace: scene.namespace, name }));
const answersOf = (name: string) => expect.poll(async () => (await scene.recorded(name)).answers, PATIENCE);
const restarted = (name: string, how: string) =>
  expect
    .poll(() => eventsOf(scene, name), PATIENCE)
    .toMatchObject([
      { type: 'Warning', reason: 'WorkflowRestarted', message: expect.stringContaining(how) as unknown },
    ]);
const counted = (ended: string) =>
  expect
    .poll(() => scene.metrics(), PATIENCE)
    .toMatch(new RegExp(`^temper_workflow_restarts_total\\{kind="BareMetalHost",ended="${ended}"\\} [1-9]`, 'm'));

describe('a run that ends behind our back', () => {
  test.each<[string, string, (name: string) => Promise<unknown>]>([
    ['terminated', 'was terminated', (name) => handleOf(name).terminate('by hand')],
    ['completed', 'completed', (name) => handleOf(name).signal(finish)],
  ])('%s, begins again from its host, and an Event and a counter say so', async (ended, how, end) => {
    await scene.createHost(ended);
    await told(ended);
    const { runId } = await handleOf(ended).describe();

    await end(ended);

    await expect.poll(async () => (await handleOf(ended).describe()).runId, PATIENCE).not.toBe(runId);
    await told(ended);
    await restarted(ended, how);
    await counted(ended);
  });

  test('begins again when its host is being deleted', async () => {
    const host = await scene.createHost('leaving');
    await told('leaving');
    await scene.show(viewOf(host, 'available'));
    await answersOf('leaving').toEqual(['published']);
    await scene.deleteHost('leaving');
    await expect.poll(() => observationsOf('leaving'), PATIENCE).toHaveLength(2);

    await handleOf('leaving').terminate('by hand');

    await expect
      .poll(() => observationsOf('leaving'), PATIENCE)
      .toMatchObject([{ snapshot: { deletionTimestamp: ANYTHING } }]);
  });

  test('is left so when its host was let go', async () => {
    const host = await scene.createHost('gone', { metadata: { finalizers: ['my.own/finalizer'] } });
    await told('gone');
    await scene.show(viewOf(host, 'available'));
    await scene.deleteHost('gone');
    await scene.show(viewOf(host, 'deleting', { revision: 2, leaving: true }));
    await answersOf('gone').toEqual(['published', 'published']);
    await handleOf('gone').signal(finish);
    await handleOf('gone').result();

    // Another that ends after it is begun again: whoever looked for ended runs has seen both.
    await scene.createHost('later');
    await told('later');
    await handleOf('later').terminate('by hand');
    await restarted('later', 'was terminated');
    expect((await handleOf('gone').describe()).status.name).toBe('COMPLETED');
  });
});

describe('a run that was set back', () => {
  const latest = (name: string) => expect.poll(async () => (await observationsOf(name)).at(-1), PATIENCE);

  test('by a reset gets a snapshot marked anew', async () => {
    await scene.createHost('reset');
    await told('reset');
    const workflowExecution = { workflowId: hostWorkflowId({ namespace: scene.namespace, name: 'reset' }) };
    const { events } = await handleOf('reset').fetchHistory();
    const { eventId } = events?.find(({ workflowTaskCompletedEventAttributes: done }) => done != null) ?? {};
    if (eventId == null) throw new Error('no workflow task was completed');
    await scene.client.workflowService.resetWorkflowExecution({
      namespace: scene.client.options.namespace,
      workflowExecution,
      workflowTaskFinishEventId: eventId,
      requestId: crypto.randomUUID(),
      reason: 'by hand',
    });
    await latest('reset').toMatchObject({ anew: true, snapshot: { name: 'reset' } });
    await scene.patchHost('reset', { spec: { description: 'news' } });
    await latest('reset').toMatchObject({ snapshot: { generation: 2 } });
    // Temporal loses a query that comes while a worker gives up the run from before the reset.
    await expect.poll(async () => (await observationsOf('reset')).filter(({ anew }) => anew), PATIENCE).toHaveLength(1);
    expect(await eventsOf(scene, 'reset')).toEqual([]);
  });

  test('is answered with `behind`, and gets a snapshot marked anew, when it shows less than was shown', async () => {
    const host = await scene.createHost('behind');
    await told('behind');
    await scene.show(viewOf(host, 'provisioned', { revision: 7 }));
    await answersOf('behind').toEqual(['published']);

    await scene.show(viewOf(host, 'inspecting', { revision: 3 }));

    await answersOf('behind').toEqual(['published', 'behind']);
    await latest('behind').toMatchObject({ anew: true });
    expect(await scene.host('behind')).toMatchObject({ status: { provisioning: { state: 'provisioned' } } });
  });

  test('while no bridge runs gets a snapshot marked anew from the next one, and its host keeps what it shows', async () => {
    const host = await scene.createHost('earlier');
    await told('earlier');
    await scene.show(viewOf(host, 'provisioned', { revision: 7 }));
    await answersOf('earlier').toEqual(['published']);

    await bridge.stop();
    await handleOf('earlier').signal(know, viewOf(host, 'available', { revision: 3 }));
    bridge = scene.startBridge(SWEEPING);

    await latest('earlier').toMatchObject({ anew: true });
    expect(await scene.host('earlier')).toMatchObject({ status: { provisioning: { state: 'provisioned' } } });
  });
});

type Condition = NonNullable<NonNullable<BareMetalHost['status']>['conditions']>[number];

describe("a run that a person pauses with Temporal's own pause", () => {
  const pausedHosts = () =>
    expect.poll(
      async () => /^temper_paused_runs\{kind="BareMetalHost"\} (\d+)$/m.exec(await scene.metrics())?.[1],
      PATIENCE,
    );
  const conditionOf = async (name: string, type: string): Promise<Condition | undefined> =>
    (await scene.host(name))?.status?.conditions?.find((each) => each.type === type);
  const request = (name: string, requestId: string) => ({
    namespace: scene.client.options.namespace,
    workflowId: hostWorkflowId({ namespace: scene.namespace, name }),
    identity: 'ada',
    reason: 'I look at it',
    requestId,
  });

  test('is told, not begun again, and goes on when the person ends that', async () => {
    const name = 'paused';
    const host = await scene.createHost(name);
    await told(name);
    await scene.show(viewOf(host, 'available'));
    await answersOf(name).toEqual(['published']);
    const { runId } = await handleOf(name).describe();
    const ready = await conditionOf(name, 'Ready');

    await scene.client.workflowService.pauseWorkflowExecution(request(name, 'p'));

    const message: unknown = expect.stringMatching(
      /was paused in Temporal by ada: I look at it.* TEMPORAL_ADDRESS=\S+ TEMPORAL_NAMESPACE=\S+ temporal workflow unpause --workflow-id \S+paused$/s,
    );
    const paused = { type: 'Warning', reason: 'WorkflowPaused', message };
    await expect.poll(() => eventsOf(scene, name), PATIENCE).toMatchObject([paused]);
    await pausedHosts().toBe('1');
    // REASON is the message of Ready; the rest of Ready is as it was.
    await expect.poll(() => conditionOf(name, 'Ready'), PATIENCE).toEqual({ ...ready, message });
    expect(await conditionOf(name, 'WorkflowPaused')).toMatchObject({ status: 'True', reason: 'RunPaused', message });
    const { temporalAddress, temporalNamespace } = sharedControlPlane();
    const run = { kind: 'BareMetalHost', namespace: scene.namespace, name };
    expect(await askRuns({ temporalAddress, temporalNamespace })([run])).toEqual([
      { id: hostWorkflowId(run), waitingFor: 'paused in Temporal', paused: message },
    ]);
    const claim = {
      host: { namespace: scene.namespace, name, uid: host.metadata.uid ?? '' },
      machine: { namespace: scene.namespace, name: 'm' },
      clusterName: 'c',
      ticket: 't',
    };
    expect(await createHostRequests(scene.client, scene.kube).requestHost(claim)).toEqual({
      kind: 'refused',
      message: 'the run of host paused is paused in Temporal',
    });
    // The bridge asks for its view, because somebody else has changed the status, and is refused.
    await scene.kube.patch(`${hostPath({ namespace: scene.namespace, name })}/status`, { status: { poweredOn: true } });
    // Another run that ends meanwhile is begun again: the bridge's look for ended runs has passed.
    await scene.createHost('ended');
    await told('ended');
    await handleOf('ended').terminate('by hand');
    await restarted('ended', 'was terminated');
    expect(await handleOf(name).describe()).toMatchObject({ runId, status: { name: 'PAUSED' } });
    expect(await eventsOf(scene, name)).toMatchObject([paused]);

    await scene.client.workflowService.unpauseWorkflowExecution(request(name, 'u'));

    await expect
      .poll(() => eventsOf(scene, name), PATIENCE)
      .toEqual(
        expect.arrayContaining([expect.objectContaining({ type: 'Normal', reason: 'WorkflowUnpaused' }) as unknown]),
      );
    await pausedHosts().toBe('0');
    await expect.poll(() => conditionOf(name, 'Ready'), PATIENCE).toEqual(ready);
    expect(await conditionOf(name, 'WorkflowPaused')).toBeUndefined();
    expect((await handleOf(name).describe()).runId).toBe(runId);
    await scene.patchHost(name, { spec: { description: 'news' } });
    await expect
      .poll(async () => (await observationsOf(name)).at(-1), PATIENCE)
      .toMatchObject({ snapshot: { generation: 2 } });
  });
});

describe('a run that was signalled by a bridge with a clock ahead of ours', () => {
  test('is signalled again, with an order that it takes in', async () => {
    const host = await scene.createHost('ahead');
    await told('ahead');
    const order = { epoch: Date.now() + 3_600_000, number: 5 };

    await scene.show(viewOf(host, 'available', { order }));

    await expect
      .poll(async () => (await observationsOf('ahead')).at(-1)?.order.epoch, PATIENCE)
      .toBeGreaterThan(order.epoch);
  });
});

describe('a run whose workflow task keeps failing', () => {
  const failingOf = async (name: string): Promise<unknown> =>
    ((await scene.host(name))?.status?.conditions ?? []).filter(({ type }) => type === 'WorkflowFailing');
  const operationOf = (name: string) => scene.client.workflow.getHandle(`${handleOf(name).workflowId}/provision`);
  const failingHosts = () =>
    expect.poll(
      async () => /^temper_failing_workflow_tasks\{kind="BareMetalHost"\} (\d+)$/m.exec(await scene.metrics())?.[1],
      PATIENCE,
    );
  const runs = new Map<string, string>();

  /** All fail from the beginning: Temporal reports a run after five attempts, which take more than two minutes. */
  beforeAll(async () => {
    const broken: [string, SignalDefinition][] = [
      ['broken', breakDown],
      ['diverged', diverge],
      ['waiting', beginBroken],
      ['working', beginDiverging],
    ];
    for (const [name, breaks] of broken) {
      const host = await scene.createHost(name);
      await vi.waitUntil(() => scene.recorded(name).catch(() => undefined), PATIENCE);
      await scene.show(viewOf(host, 'provisioning'));
      await vi.waitUntil(async () => (await scene.recorded(name)).answers.length > 0, PATIENCE);
      runs.set(name, (await handleOf(name).describe()).runId);
      await handleOf(name).signal(breaks);
    }
    // A second task, which replays the first.
    await handleOf('diverged').signal(know, viewOf((await scene.host('diverged')) as BareMetalHost, 'available'));
  });

  test('shows as an Event, as a condition, and in a metric', async () => {
    const message: unknown = expect.stringContaining('a mistake in the program');
    await expect
      .poll(() => eventsOf(scene, 'broken'), PATIENCE)
      .toMatchObject([
        {
          type: 'Warning',
          reason: 'WorkflowTaskFailing',
          message,
          involvedObject: { uid: (await scene.host('broken'))?.metadata.uid },
        },
      ]);
    await expect
      .poll(() => failingOf('broken'), PATIENCE)
      .toMatchObject([{ type: 'WorkflowFailing', status: 'True', reason: 'WorkflowTaskFailing', message }]);
    await failingHosts().toMatch(/^[1-4]$/);
  });

  test('shows on the host, too, when it is that of an operation', async () => {
    const message: unknown = expect.stringContaining(
      `${operationOf('waiting').workflowId}: a mistake in the operation`,
    );
    await expect
      .poll(() => failingOf('waiting'), PATIENCE)
      .toMatchObject([{ status: 'True', reason: 'WorkflowTaskFailing', message }]);
    expect(await eventsOf(scene, 'waiting')).toMatchObject([{ reason: 'WorkflowTaskFailing', message }]);
  });

  test('because its history can not be replayed is ended, and begins again from its host', async () => {
    await expect
      .poll(async () => (await handleOf('diverged').describe()).runId, PATIENCE)
      .not.toBe(runs.get('diverged'));
    // Told again when its host's condition is removed, which may be later.
    await expect.poll(() => observationsOf('diverged'), PATIENCE).not.toEqual([]);
    await expect
      .poll(
        async () => (await eventsOf(scene, 'diverged')).map((event) => (event as { reason: string }).reason),
        PATIENCE,
      )
      .toEqual(expect.arrayContaining(['WorkflowTaskFailing', 'WorkflowRestarted']));
  });

  test('because the history of an operation can not be replayed goes on when that is ended', async () => {
    await answersOf('working').toEqual(['published', 'ended']);
    expect((await operationOf('working').describe()).status.name).toBe('TERMINATED');
    expect((await handleOf('working').describe()).runId).toBe(runs.get('working'));
    const message: unknown = expect.stringContaining(operationOf('working').workflowId);
    expect(await eventsOf(scene, 'working')).toMatchObject([{ reason: 'WorkflowTaskFailing', message }]);
    await expect.poll(() => failingOf('working'), PATIENCE).toEqual([]);
  });

  test('shows no more when it has ended', async () => {
    for (const name of ['broken', 'waiting']) await handleOf(name).terminate('enough');
    for (const name of ['broken', 'waiting']) await expect.poll(() => failingOf(name), PATIENCE).toEqual([]);
    await failingHosts().toBe('0');
  });
});

describe('a bridge that starts', () => {
  test('signals nothing to runs that know what there is', async () => {
    const away = await openScene(sharedControlPlane());
    try {
      await away.startRecorder();
      const first = away.startBridge();
      const hosts = await Promise.all(['same', 'changed'].map((name) => away.createHost(name)));
      for (const { metadata } of hosts) {
        await expect.poll(() => away.recorded(metadata.name), PATIENCE).toMatchObject({ observations: [ANYTHING] });
      }
      await first.stop();
      for (const host of hosts) {
        await away.client.workflow.getHandle(hostWorkflowId(host.metadata)).signal(know, viewOf(host, 'available'));
      }
      await away.patchHost('changed', { spec: { description: 'news' } });

      away.startBridge();

      await expect
        .poll(() => away.recorded('changed'), PATIENCE)
        .toMatchObject({ observations: [{ snapshot: { generation: 1 } }, { snapshot: { generation: 2 } }] });
      // It was asked, and what it shows was written.
      await expect.poll(() => away.host('same'), PATIENCE).toMatchObject({ status: { operationalStatus: 'OK' } });
      expect((await away.recorded('same')).observations).toHaveLength(1);
    } finally {
      await away.end();
    }
  });
});
