import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { EntityView } from '../../domain/entity/view.ts';
import {
  type HandedOver,
  hostWorkflowId,
  nodeObserved,
  type PublishAnswer,
  STALE,
  view,
} from '../../workflows/messages.ts';
import { aNode } from '../builders/host.ts';
import { type HostRun, type LifeScene, openLifeScene } from './life/scene.ts';

/** The life that all kinds share, lived by hosts. */
const PATIENCE = { timeout: 240_000, interval: 200 };
/**
 * More than the events at which the server suggests continue-as-new: 1,000 by day (`setup.ts`). In `npm run
 * test:nightly` it is 10,000 signals, and the server's default of 4,096 events.
 */
const SIGNALS = Number(process.env['TEMPER_SIGNALS'] ?? 2_000);
let scene: LifeScene;
/** Hosts that Ironic, or the worker that speaks to it, does not answer. */
const unanswered = new Set<string>();

interface Order {
  readonly host: { readonly name: string };
}

async function registerNode({ host }: Order): Promise<unknown> {
  while (unanswered.has(host.name)) {
    Context.current().heartbeat();
    await Context.current().sleep(100);
  }
  return { kind: 'registered', node: aNode(), verifying: false, created: true, credentialsVersion: '90' };
}

/** Hosts that do not ask for power off as they are now. */
const unasked = new Set<string>();

function setPower({ host }: Order): unknown {
  if (!unasked.has(host.name)) return { kind: 'done', node: aNode() };
  throw ApplicationFailure.create({ type: STALE, nonRetryable: true, message: 'power: it asks to be powered on' });
}

type Event = NonNullable<Awaited<ReturnType<HostRun['handle']['fetchHistory']>>['events']>[number];
/** The metadata of a marker of a local activity names its type. */
function isHandOver({ markerRecordedEventAttributes: marker }: Event): boolean {
  const [data] = marker?.details?.['data']?.payloads ?? [];
  return Buffer.from(data?.data ?? [])
    .toString()
    .includes('handOverView');
}

/** Views that the bridge took directly; undefined: it takes none. */
let direct: EntityView[] | undefined;

function handOverView({ view: handedOver }: HandedOver): PublishAnswer | { readonly kind: 'not taken' } {
  if (direct === undefined) return { kind: 'not taken' };
  direct.push(handedOver);
  return { kind: 'published', at: 1 };
}

beforeAll(async () => {
  scene = await openLifeScene({
    handOverView,
    registerNode,
    startInspection: () => ({ kind: 'done', node: aNode() }),
    saveInventory: () => ({ architecture: 'x86_64' }),
    setPower,
    releaseHost: () => undefined,
    deleteNode: () => ({ kind: 'lost' }),
  });
});
afterEach(() => {
  direct = undefined;
});
afterAll(() => scene.close());

const available = (host: HostRun) =>
  expect.poll(() => host.details(), PATIENCE).toContain('waiting for an image in spec.image');
const end = async (host: HostRun): Promise<void> => {
  await host.tell({ deletionTimestamp: '2026-01-01T00:00:00Z' });
  await host.handle.result();
};

describe('a run', () => {
  test('hands each view over as an activity, although the bridge would take it within the workflow task', async () => {
    const taken: EntityView[] = [];
    direct = taken;
    const host = await scene.aHost();
    await available(host);
    direct = undefined;
    await end(host);
    expect(taken).toEqual([]);
    expect(host.shown.at(-1)?.leaving).toBe(true);
    const { events = [] } = await host.handle.fetchHistory();
    const activities = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    expect(activities.filter((name) => name === 'publish')).toHaveLength(host.shown.length);
    // The order of what ends within a task is another one in a replay.
    expect((events ?? []).filter(isHandOver)).toEqual([]);
  });

  test('that hears thousands of things while it waits for an answer goes on in another run, and loses nothing', async () => {
    const host = await scene.aHost();
    const { runId } = await host.handle.describe();
    unanswered.add(host.snapshot.name);
    await expect.poll(() => host.shown.map(({ state }) => state), PATIENCE).toContain('registering');
    const node = { uid: 'somebody-elses', nodeId: 'n', node: null };
    const sendAtOnce = (count: number) =>
      Promise.all(Array.from({ length: count }, () => host.handle.signal(nodeObserved, node)));
    for (let sent = 0; sent < SIGNALS; sent += 1_000) {
      for (let burst = 0; burst < 10; burst++) await sendAtOnce(100);
      // Temporal continues no run before its action has ended and while signals arrive, and refuses the 10,000th to one run.
      await expect.poll(() => host.isHearing(), PATIENCE).toBe(false);
    }
    await expect.poll(async () => (await host.handle.describe()).runId, PATIENCE).not.toBe(runId);
    await host.tell({ spec: { online: false, description: 'told later' } });
    unanswered.delete(host.snapshot.name);
    await available(host);
    await end(host);
  });

  test('shows the generation that it has taken in while an action takes its time', async () => {
    const host = await scene.aHost();
    unanswered.add(host.snapshot.name);
    await expect.poll(() => host.shown.at(-1), PATIENCE).toMatchObject({ state: 'registering', generation: 1 });
    await host.tell({ generation: 2 });
    await expect.poll(() => host.shown.at(-1), PATIENCE).toMatchObject({ state: 'registering', generation: 2 });
    const views = host.shown.length;
    await host.tell({ generation: 2 });
    unanswered.delete(host.snapshot.name);
    await available(host);
    expect(host.shown[views]?.revision).toBeGreaterThan(host.shown[views - 1]?.revision ?? Number.NaN);
    await end(host);
  });

  test('of an object that is made again while it ends goes on for the new one', async () => {
    const host = await scene.aHost();
    await available(host);
    scene.answerWith(async ({ name, leaving }) => {
      if (name === host.snapshot.name && leaving) {
        scene.answerWith(() => ({ kind: 'published' }));
        await host.tell({ uid: 'uid-2' });
      }
      return { kind: 'published' };
    });
    await host.tell({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    await expect.poll(() => host.shown.at(-1), PATIENCE).toMatchObject({ uid: 'uid-2', state: 'available' });
    await host.tell({ uid: 'uid-2', deletionTimestamp: '2026-01-01T00:00:00Z' });
    await host.handle.result();
  });

  test('that was reset does nothing before it gets a new snapshot, and then starts from it', async () => {
    scene.answerWith(({ uid }) => ({ kind: uid === 'uid-behind' ? 'behind' : 'published' }));
    const host = await scene.aHost({ uid: 'uid-behind' });
    await expect.poll(() => host.details(), PATIENCE).toContain('waiting for a new snapshot');
    scene.answerWith(() => ({ kind: 'published' }));
    const provisioning = { state: 'externally provisioned', ID: aNode().id, image: { url: '' } };
    const status = { operationalStatus: 'OK', errorMessage: '', errorCount: 0, poweredOn: false, provisioning };
    await host.tell({ uid: 'uid-behind', spec: { externallyProvisioned: true }, status: status as never }, true);
    await expect.poll(() => host.shown.at(-1), PATIENCE).toMatchObject({ state: 'externally provisioned' });
    expect(host.shown.map(({ state }) => state)).not.toContain('inspecting');
    await host.handle.terminate('the test is over');
  });

  test('says when its last view was written, by the clock of the bridge, and not when it heard of it', async () => {
    scene.answerWith(({ state }) =>
      state === 'available' ? { kind: 'superseded' } : { kind: 'published', at: 12_345 },
    );
    const host = await scene.aHost();
    await available(host);
    await expect
      .poll(() => host.handle.query(view), PATIENCE)
      .toMatchObject({ shownAt: 12_345, shownState: 'available' });
    scene.answerWith(() => ({ kind: 'published' }));
    await end(host);
  });

  test('whose object does not ask for its step says so, does nothing more, and starts from the next snapshot', async () => {
    const host = await scene.aHost();
    await available(host);
    scene.answerWith(({ behind }) => ({ kind: behind === undefined ? 'published' : 'behind' }));
    unasked.add(host.snapshot.name);
    const node = { uid: host.snapshot.uid, nodeId: aNode().id, node: aNode({ poweredOn: true }) };
    await host.handle.signal(nodeObserved, node);
    await expect.poll(() => host.shown.at(-1)?.behind, PATIENCE).toBe('power: it asks to be powered on');
    await expect.poll(() => host.details(), PATIENCE).toContain('power: it asks to be powered on');
    expect(host.shown.at(-1)).toMatchObject({ state: 'available', status: { errorCount: 0 } });
    scene.answerWith(() => ({ kind: 'published' }));
    unasked.clear();
    await host.tell({ spec: { online: false, description: 'as it is now' } });
    await available(host);
    expect(host.shown.at(-1)).not.toHaveProperty('behind');
    await end(host);
  });

  test('waits for an operation of its object that still runs from before, and does not fail because of it', async () => {
    const host = await scene.aHost();
    unanswered.add(host.snapshot.name);
    const left = await scene.client.workflow.start('inspectWorkflow', {
      workflowId: `${hostWorkflowId(host.snapshot)}/inspect/1`,
      taskQueue: 'nobody-works-here',
      args: [{}],
    });
    unanswered.delete(host.snapshot.name);
    await expect
      .poll(
        async () =>
          (await left.fetchHistory()).events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes),
        PATIENCE,
      )
      .toBe(true);
    await left.terminate('has ended at last');
    await available(host);
    expect(host.shown.flatMap(({ events = [] }) => events.map(({ reason }) => reason))).not.toContain(
      'InspectionError',
    );
    expect(await host.failedTasks()).toBe(0);
    await end(host);
  });
});
