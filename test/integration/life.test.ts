import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { currentCall } from '../../activities/ironic/context.ts';
import { createNodePoller } from '../../activities/ironic/poll/poller.ts';
import { DEFAULT_IRONIC_SETTINGS } from '../../activities/ironic/settings.ts';
import { waitForNode } from '../../activities/ironic/wait-for-node.ts';
import type { WaitOrder } from '../../domain/ironic/orders.ts';
import { nodeObserved, STALE, view } from '../../workflows/messages.ts';
import { aNode, IMAGE } from '../builders/host.ts';
import { aNodeState } from '../builders/node.ts';
import { limitsOf } from './life/limits.ts';
import { type HostRun, type LifeScene, openLifeScene } from './life/scene.ts';

/** The life that all kinds share, lived by hosts. */
/**
 * More than the events at which the server suggests continue-as-new: 1,000 by day (`setup.ts`). In `npm run
 * test:nightly` it is 10,000 signals, and the server's default of 4,096 events.
 */
const SIGNALS = Number(process.env['TEMPER_SIGNALS'] ?? 2_000);
let scene: LifeScene;
/** Hosts that Ironic, or the worker that speaks to it, does not answer. */
const unanswered = new Set<string>();

interface Order {
  readonly host: { readonly name: string; readonly uid: string };
}

async function registerNode({ host }: Order): Promise<unknown> {
  while (unanswered.has(host.name)) {
    Context.current().heartbeat();
    await Context.current().sleep(100);
  }
  return { kind: 'registered', node: aNode(), verifying: false, created: true, credentialsVersion: '90' };
}

/** Names or uids of hosts that do not ask for their power as they are now. */
const unasked = new Set<string>();

function setPower({ host }: Order): unknown {
  if (!unasked.has(host.name) && !unasked.has(host.uid)) return { kind: 'done', node: aNode() };
  throw ApplicationFailure.create({ type: STALE, nonRetryable: true, message: 'power: it asks to be powered on' });
}

/** Stands for the three hours after which Ironic has failed if it is still busy with a deployment. */
const DEADLINE_MS = 500;
/** Ironic does not answer before this moment, which stands for the fourth hour of the deployment. */
let answersAt = Number.POSITIVE_INFINITY;
let failedLists = 0;
const undeployed: string[] = [];

function deployNode(): unknown {
  answersAt = Date.now() + 3 * DEADLINE_MS;
  return { kind: 'started', node: aNode({ state: 'deploying' }) };
}

function undeployNode({ host }: Order): unknown {
  undeployed.push(host.name);
  return { kind: 'done', node: aNode({ state: 'available' }) };
}

const poller = createNodePoller({
  listNodes() {
    if (Date.now() >= answersAt)
      return Promise.resolve([aNodeState({ uuid: aNode().id, provision_state: 'active', power_state: 'power on' })]);
    failedLists += 1;
    return Promise.reject(new Error('Ironic does not answer'));
  },
  intervalMs: 20,
  log: { info: () => {}, warn: () => {} },
});
const settings = { ...DEFAULT_IRONIC_SETTINGS, stepDeadlineMs: DEADLINE_MS };
const tell = (): Promise<void> => Promise.resolve();

/** Whether a quota forbids HardwareData, and the hosts for which that was tried. */
let isOverQuota = false;
const tried: string[] = [];
const QUOTA = 'hardwaredata.metal3.io is forbidden: exceeded quota: none';

function saveInventory({ host }: Order): unknown {
  if (!isOverQuota) return { architecture: 'x86_64' };
  tried.push(host.name);
  throw ApplicationFailure.create({ type: 'ApiServerRefused', nonRetryable: true, message: QUOTA });
}

beforeAll(async () => {
  scene = await openLifeScene({
    registerNode,
    startInspection: () => ({ kind: 'done', node: aNode() }),
    saveInventory,
    setPower,
    adoptNode: () => ({ kind: 'done', node: aNode({ state: 'active' }) }),
    releaseHost: () => undefined,
    deleteNode: () => ({ kind: 'lost' }),
    provideNode: () => ({ kind: 'done', node: aNode({ state: 'available' }) }),
    deployNode,
    undeployNode,
    waitForNode: (order: WaitOrder) => waitForNode({ poller, settings, tell, call: currentCall() }, order),
  });
});
afterAll(async () => {
  await scene.close();
  poller.close();
});

const available = (host: HostRun) => expect.poll(() => host.details()).toContain('waiting for an image in spec.image');
const end = async (host: HostRun): Promise<void> => {
  await host.tell({ deletionTimestamp: '2026-01-01T00:00:00Z' });
  await host.handle.result();
};

/** Sends messages until the run is continued as new. */
async function sendUntilNext(host: HostRun, message: () => unknown): Promise<void> {
  const { runId } = await host.handle.describe();
  for (let bursts = 0; (await host.handle.describe()).runId === runId; bursts++) {
    expect(bursts).toBeLessThan(20);
    await Promise.all(Array.from({ length: 100 }, () => host.handle.signal(nodeObserved.name, message())));
    await expect.poll(() => host.isHearing()).toBe(false);
  }
}

describe('a run', () => {
  test('hands each view over as an activity', async () => {
    const host = await scene.aHost();
    await available(host);
    await end(host);
    expect(host.shown.at(-1)?.leaving).toBe(true);
    const { events = [] } = await host.handle.fetchHistory();
    const activities = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    expect(activities.filter((name) => name === 'publish')).toHaveLength(host.shown.length);
    // What is done within a task may end in another order in a replay.
    const markers = (events ?? []).map((event) => event.markerRecordedEventAttributes?.markerName);
    expect(markers).not.toContain('core_local_activity');
  });

  test('that hears thousands of things while it waits for an answer goes on in another run, and loses nothing', async () => {
    const host = await scene.aHost();
    const { runId } = await host.handle.describe();
    unanswered.add(host.snapshot.name);
    await expect.poll(() => host.shown.map(({ shown }) => shown.state)).toContain('registering');
    const node = { uid: 'somebody-elses', nodeId: 'n', node: null };
    const sendAtOnce = (count: number) =>
      Promise.all(Array.from({ length: count }, () => host.handle.signal(nodeObserved, node)));
    for (let sent = 0; sent < SIGNALS; sent += 1_000) {
      for (let burst = 0; burst < 10; burst++) await sendAtOnce(100);
      // Temporal continues no run before its action has ended and while signals arrive, and refuses the 10,000th to one
      // run.
      await expect.poll(() => host.isHearing()).toBe(false);
    }
    await expect.poll(async () => (await host.handle.describe()).runId).not.toBe(runId);
    await host.tell({ spec: { online: false, description: 'told later' } });
    unanswered.delete(host.snapshot.name);
    await available(host);
    await end(host);
  });

  test('shows the generation that it has taken in while an action takes its time', async () => {
    const host = await scene.aHost();
    unanswered.add(host.snapshot.name);
    await expect.poll(() => host.shown.at(-1)).toMatchObject({ shown: { state: 'registering' }, generation: 1 });
    await host.tell({ generation: 2 });
    await expect.poll(() => host.shown.at(-1)).toMatchObject({ shown: { state: 'registering' }, generation: 2 });
    const views = host.shown.length;
    await host.tell({ generation: 2 });
    unanswered.delete(host.snapshot.name);
    await available(host);
    expect(host.shown[views]?.revision).toBeGreaterThan(host.shown[views - 1]?.revision ?? Number.NaN);
    await end(host);
  });

  test('whose deployment Ironic has finished when it answers again, after the limit, is provisioned, and nothing is undeployed', async () => {
    const host = await scene.aHost({ spec: { online: true, image: IMAGE } });
    await expect.poll(() => host.shown.at(-1)?.shown.state).toBe('provisioned');
    expect(failedLists).toBeGreaterThan(0);
    expect(Date.now()).toBeGreaterThan(answersAt);
    expect(undeployed).toEqual([]);
    expect(host.shown.map(({ shown }) => shown.state)).not.toContain('deprovisioning');
    expect(host.shown.at(-1)).toMatchObject({ shown: { status: { errorCount: 0, provisioning: { image: IMAGE } } } });
    await end(host);
    expect(undeployed).toEqual([host.snapshot.name]);
    // A limit of hours would not end what takes seconds here.
    const { waits, children, limited } = await limitsOf(scene.client, host.handle.workflowId);
    expect(Math.min(waits, children)).toBeGreaterThan(0);
    expect(limited).toEqual([]);
  });

  test('whose HardwareData a quota forbids says so, waits before it tries again, and goes on after a change', async () => {
    // As the activity answers: test/integration/kubernetes-activities.test.ts.
    isOverQuota = true;
    const host = await scene.aHost();
    const failed = { errorType: 'inspection error', errorMessage: QUOTA, errorCount: 1 };
    await expect.poll(() => host.shown.at(-1)?.shown.status).toMatchObject(failed);
    await expect.poll(async () => (await host.handle.query(view))?.until).toBeDefined();
    expect(tried).toEqual([host.snapshot.name]);
    isOverQuota = false;
    await host.tell({ generation: 2, spec: { online: false, description: 'within the quota' } });
    await available(host);
    await end(host);
  });

  test('is listed by no more events than its states are', async () => {
    const host = await scene.aHost();
    await available(host);
    const events = (await host.handle.fetchHistory()).events ?? [];
    const upserts = events.flatMap(({ upsertWorkflowSearchAttributesEventAttributes: upsert }) =>
      upsert === null || upsert === undefined ? [] : [Object.keys(upsert.searchAttributes?.indexedFields ?? {})],
    );
    expect(upserts.filter((names) => names.includes('TemperState'))).toHaveLength(2);
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
    await expect.poll(() => host.shown.at(-1)).toMatchObject({ uid: 'uid-2', shown: { state: 'available' } });
    await host.tell({ uid: 'uid-2', deletionTimestamp: '2026-01-01T00:00:00Z' });
    await host.handle.result();
  });

  test('that was reset does nothing before it gets a new snapshot, and then starts from it', async () => {
    scene.answerWith(({ uid }) => ({ kind: uid === 'uid-behind' ? 'behind' : 'published' }));
    const host = await scene.aHost({ uid: 'uid-behind' });
    await expect.poll(() => host.details()).toContain('waiting for a new snapshot');
    scene.answerWith(() => ({ kind: 'published' }));
    const provisioning = { state: 'externally provisioned', ID: aNode().id, image: { url: '' } };
    const status = { operationalStatus: 'OK', errorMessage: '', errorCount: 0, poweredOn: false, provisioning };
    await host.tell({ uid: 'uid-behind', spec: { externallyProvisioned: true }, status: status as never }, true);
    await expect.poll(() => host.shown.at(-1)).toMatchObject({ shown: { state: 'externally provisioned' } });
    expect(host.shown.map(({ shown }) => shown.state)).not.toContain('inspecting');
    await host.handle.terminate('the test is over');
  });

  test.for<[what: string, message: () => unknown]>([
    ['nothing', () => ({})],
    ['a uid of another object', () => ({ uid: 'somebody-elses', nodeId: 'n', node: null })],
  ])('that waits and is sent %s hundreds of times goes on in another run', async ([, message]) => {
    const host = await scene.aHost();
    await available(host);
    const { runId } = await host.handle.describe();
    await sendUntilNext(host, message);
    await available(host);
    await host.tell({ spec: { online: false, description: 'told later' } });
    await expect.poll(() => host.details()).toContain('waiting for an image in spec.image');
    expect((await host.handle.describe()).runId).not.toBe(runId);
    await end(host);
  });

  test('that knows less than its object, and is sent hundreds of messages, does nothing in another run either', async () => {
    scene.answerWith(({ uid }) => ({ kind: uid === 'uid-flooded' ? 'behind' : 'published' }));
    const host = await scene.aHost({ uid: 'uid-flooded' });
    await expect.poll(() => host.details()).toContain('waiting for a new snapshot');
    const views = host.shown.length;
    await sendUntilNext(host, () => ({}));
    await expect.poll(() => host.details()).toContain('waiting for a new snapshot');
    // The next run asks the bridge for a snapshot, and shows nothing else.
    await expect.poll(() => host.shown.length).toBe(views + 1);
    expect(host.shown.at(-1)).toHaveProperty('behind');
    scene.answerWith(() => ({ kind: 'published' }));
    await host.tell({ uid: 'uid-flooded' }, true);
    await available(host);
    await host.handle.terminate('the test is over');
  });

  test('says when its last view was written, by the clock of the bridge, and not when it heard of it', async () => {
    scene.answerWith(({ shown: { state } }) =>
      state === 'available' ? { kind: 'superseded' } : { kind: 'published', at: 12_345 },
    );
    const host = await scene.aHost();
    await available(host);
    await expect.poll(() => host.handle.query(view)).toMatchObject({ shownAt: 12_345, shownState: 'available' });
    scene.answerWith(() => ({ kind: 'published' }));
    await end(host);
  });

  test('does not show again what the bridge wrote with its view, and shows what somebody else changes', async () => {
    scene.answerWith(({ shown: { state } }) => ({
      kind: 'published',
      ...(state === 'available' && { at: 1, generation: 2 }),
    }));
    const host = await scene.aHost();
    await available(host);
    await expect.poll(() => host.handle.query(view)).toMatchObject({ generation: 2 });
    const views = host.shown.length;
    scene.answerWith(() => ({ kind: 'published' }));
    await host.tell({ generation: 2 });
    await host.tell({ generation: 3 });
    await expect.poll(() => host.shown.slice(views).map(({ generation }) => generation)).toEqual([3]);
    await end(host);
  });

  test('does not show again what the bridge wrote with its view, also when it is told of that first', async () => {
    const host = await scene.aHost();
    let isTold = false;
    scene.answerWith(async ({ name, shown }) => {
      if (name !== host.snapshot.name || shown.state !== 'available' || isTold) return { kind: 'published' };
      isTold = true;
      await host.tell({ generation: 2 });
      await expect.poll(() => host.handle.query(view)).toMatchObject({ generation: 2 });
      return { kind: 'published', at: 1, generation: 2 };
    });
    await available(host);
    await expect.poll(() => host.handle.query(view)).toMatchObject({ generation: 2, shownAt: 1 });
    const views = host.shown.length;
    await host.tell({ generation: 3 });
    await expect.poll(() => host.shown.slice(views).map(({ generation }) => generation)).toEqual([3]);
    scene.answerWith(() => ({ kind: 'published' }));
    await end(host);
  });

  test('does not hand over a view that the bridge has asked for, and written instead of an older one', async () => {
    const host = await scene.aHost();
    let asked: number | undefined;
    scene.answerWith(async ({ name, shown }) => {
      if (name !== host.snapshot.name || shown.state !== 'available' || asked !== undefined)
        return { kind: 'published' };
      await host.tell({ generation: 2 });
      const now = await host.handle.query(view);
      asked = now?.revision;
      return { kind: 'published', ...(now && { instead: now }) };
    });
    await available(host);
    await expect.poll(() => asked).toBeDefined();
    await host.tell({ generation: 3 });
    await expect.poll(() => host.shown.at(-1)?.revision).toBeGreaterThan(asked ?? Number.POSITIVE_INFINITY);
    expect(host.shown.map(({ revision }) => revision)).not.toContain(asked);
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
    await expect.poll(() => host.shown.at(-1)?.behind).toBe('power: it asks to be powered on');
    await expect.poll(() => host.details()).toContain('power: it asks to be powered on');
    expect(host.shown.at(-1)).toMatchObject({ shown: { state: 'available', status: { errorCount: 0 } } });
    scene.answerWith(() => ({ kind: 'published' }));
    unasked.clear();
    await host.tell({ spec: { online: false, description: 'as it is now' } });
    await available(host);
    expect(host.shown.at(-1)).not.toHaveProperty('behind');
    await end(host);
  });

  test('whose object never asks for its step pauses before it begins anew again, longer each time, with one timer', async () => {
    const uid = 'uid-never-asks';
    const provisioning = { state: 'externally provisioned', ID: aNode().id, image: { url: '' } };
    const status = { operationalStatus: 'OK', errorMessage: '', errorCount: 0, poweredOn: false, provisioning };
    const known = { uid, spec: { online: true, externallyProvisioned: true }, status: status as never };
    unasked.add(uid);
    let present: Parameters<HostRun['tell']>[0] = known;
    scene.answerWith(async ({ uid: shown, behind }) => {
      if (shown !== uid || behind === undefined) return { kind: 'published' };
      await (await starting).tell(present, true);
      return { kind: 'behind' };
    });
    const starting = scene.aHost(known);
    const host = await starting;
    // The first time it begins anew at once. While it waits for the second pause, the first is over.
    await expect.poll(() => timersOf(host), { timeout: 20_000 }).toEqual({ pauses: [5, 10], open: 1 });
    await expect.poll(() => host.details()).toContain('begun anew from the object 2 times in vain');
    expect(await host.handle.query(view)).toMatchObject({
      until: expect.any(String) as unknown,
      shown: { state: 'externally provisioned' },
    });
    expect(host.shown.filter(({ behind }) => behind !== undefined)).toHaveLength(2);
    // A change of the object ends the pause.
    unasked.clear();
    present = { ...known, generation: 2, spec: { ...known.spec, online: false } };
    await host.tell(present);
    await expect.poll(() => host.details()).toContain('off, as spec.online says');
    await host.handle.terminate('the test is over');
  });
});

/** The timers of a run: how long each was to take, in seconds, and how many are open. */
async function timersOf(host: HostRun): Promise<{ readonly pauses: readonly number[]; readonly open: number }> {
  const { events = [] } = await host.handle.fetchHistory();
  const pauses = (events ?? []).flatMap(({ timerStartedEventAttributes: started }) =>
    started ? [Number(started.startToFireTimeout?.seconds)] : [],
  );
  const over = (events ?? []).filter((event) => event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes);
  return { pauses, open: pauses.length - over.length };
}
