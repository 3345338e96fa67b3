import { Context } from '@temporalio/activity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENDED_MEMO, hostWorkflowId, stuckObserved } from '../../workflows/messages.ts';
import { TEMPER_ERROR, TEMPER_SINCE, TEMPER_STATE, TEMPER_WAITS_FOR } from '../../workflows/search-attributes.ts';
import { aNode } from '../builders/host.ts';
import { type HostRun, type LifeScene, openLifeScene } from './life/scene.ts';

/** The operations of a host: workflow runs of their own, each the child of the host's run. */
let scene: LifeScene;
/** Hosts that Ironic, or the worker that speaks to it, does not answer. */
const unanswered = new Set<string>();

interface Order {
  readonly host: { readonly name: string };
}

/** Hosts whose inspection Ironic does not answer. */
const uninspected = new Set<string>();

/** Waits while the host is in the set; ends when it is cancelled. */
async function answered(host: Order['host'], silent: ReadonlySet<string>): Promise<void> {
  while (silent.has(host.name)) {
    Context.current().heartbeat();
    await Context.current().sleep(100);
  }
}

async function registerNode({ host }: Order): Promise<unknown> {
  await answered(host, unanswered);
  return { kind: 'registered', node: aNode(), verifying: false, created: true, credentialsVersion: '90' };
}

const SOME: unknown = expect.any(Date);

/** The search attributes that are ours. */
const attributesOf = ({ typedSearchAttributes }: Awaited<ReturnType<HostRun['handle']['describe']>>): object =>
  Object.fromEntries(
    typedSearchAttributes
      .getAll()
      .flatMap(({ key, value }) =>
        key.name.startsWith('Temper') && !key.name.startsWith('Temporal') ? [[key.name, value]] : [],
      ),
  );

/** Hosts whose inspection fails. */
const dark = new Set<string>();

async function startInspection({ host }: Order): Promise<unknown> {
  await answered(host, uninspected);
  return dark.has(host.name)
    ? { kind: 'failed', message: 'no agent has called', node: aNode() }
    : { kind: 'done', node: aNode() };
}

/** Hosts whose node works when it is to be deleted, and then is missing in a list; how often it was to be deleted. */
const unlisted = new Map<string, number>();

function deleteNode({ host }: Order): unknown {
  const times = unlisted.get(host.name);
  if (times === undefined) return { kind: 'lost' };
  unlisted.set(host.name, times + 1);
  return times === 0 ? { kind: 'started', node: aNode({ state: 'clean wait' }) } : { kind: 'lost' };
}

beforeAll(async () => {
  scene = await openLifeScene({
    registerNode,
    startInspection,
    saveInventory: () => ({ architecture: 'x86_64' }),
    setPower: () => ({ kind: 'done', node: aNode() }),
    releaseHost: () => undefined,
    deleteNode,
    waitForNode: () => null,
    provideNode: () => ({ kind: 'done', node: aNode({ state: 'available' }) }),
  });
});
afterAll(async () => scene.close());

const available = (host: HostRun) => expect.poll(() => host.details()).toContain('waiting for an image in spec.image');
const end = async (host: HostRun): Promise<void> => {
  await host.tell({ deletionTimestamp: '2026-01-01T00:00:00Z' });
  // Its first run may have been reset, so it is not the one that ends.
  await scene.client.workflow.getHandle(host.handle.workflowId).result();
};

describe('a run', () => {
  test('has an operation that has begun go before hosts that are begun', async () => {
    const host = await scene.aHost({ name: 'first' });
    await expect.poll(() => host.shown.map(({ shown }) => shown.state)).toContain('inspecting');
    const operation = await scene.client.workflow.getHandle(`${host.handle.workflowId}/inspect/1`).describe();
    const { raw } = await host.handle.describe();
    // 0: the server's default, which is 3 of 5. Lower goes first.
    expect(raw.workflowExecutionInfo?.priority?.priorityKey ?? 0).toBe(0);
    expect(operation.raw.workflowExecutionInfo?.priority?.priorityKey).toBe(2);
    await end(host);
  });

  test('lists a failed operation as a failed run with a failed request, and goes on', async () => {
    const host = await scene.aHost({ name: 'dark' });
    dark.add(host.snapshot.name);
    await expect.poll(() => host.shown.at(-1)?.shown.status).toMatchObject({ errorType: 'inspection error' });
    const run = scene.client.workflow.getHandle(`${host.handle.workflowId}/inspect/1`);
    const { events } = await run.fetchHistory();
    expect((events ?? []).flatMap((event) => event.activityTaskFailedEventAttributes?.failure?.message ?? [])).toEqual([
      'no agent has called',
    ]);
    const operation = await run.describe();
    expect(operation.status.name).toBe('FAILED');
    expect(attributesOf(operation)).toEqual({
      TemperNamespace: 'metal',
      TemperOperation: 'inspect',
      TemperSince: SOME,
    });
    const described = (): Promise<object> => host.handle.describe().then(attributesOf);
    const known = { TemperKind: 'BareMetalHost', TemperNamespace: 'metal', TemperSince: SOME };
    await expect.poll(described).toEqual({
      ...known,
      TemperState: 'inspecting',
      TemperError: 'inspection error',
      TemperWaitsFor: 'retry',
    });
    expect((await host.details()).match(/no agent has called/g)).toHaveLength(1);

    dark.delete(host.snapshot.name);
    await host.tell({ annotations: { 'inspect.metal3.io': '' } });
    await host.tell({ generation: 2, spec: { online: false, description: 'corrected' } });
    await available(host);
    await expect.poll(described).toEqual({ ...known, TemperState: 'available' });
    await end(host);
  });

  test('says in the run of a cancelled operation why it has ended', async () => {
    const host = await scene.aHost({ name: 'changed' });
    uninspected.add(host.snapshot.name);
    await expect.poll(() => host.details()).toContain('Inspect');
    const run = scene.client.workflow.getHandle(`${host.handle.workflowId}/inspect/1`);
    await expect
      .poll(() =>
        run.describe().then(
          ({ status }) => status.name,
          () => '',
        ),
      )
      .toBe('RUNNING');
    await host.tell({ generation: 2, spec: { online: false, inspectionMode: 'disabled' } });
    await expect.poll(async () => (await run.describe()).status.name).toBe('CANCELLED');
    expect((await run.describe()).memo).toMatchObject({ [ENDED_MEMO]: 'inspection disabled' });
    const metadata = await run.query<{ readonly currentDetails?: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain('- **Ended** inspection disabled');
    const { events } = await run.fetchHistory();
    const messages = (events ?? []).flatMap(
      (event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [],
    );
    expect(messages.filter((name) => name === 'endedBecause')).toHaveLength(1);
    uninspected.delete(host.snapshot.name);
    await available(host);
    await end(host);
  });

  test('asks Ironic for a node that is missing in a list before it counts as deleted', async () => {
    const host = await scene.aHost({ name: 'unlisted' });
    unlisted.set(host.snapshot.name, 0);
    await available(host);
    await end(host);
    expect(unlisted.get(host.snapshot.name)).toBe(2);
  });

  test('of a host whose consumer has a name of any length goes on', async () => {
    const consumerRef = { kind: 'Anything', name: 'ab'.repeat(5_000) };
    const host = await scene.aHost({ spec: { online: false, consumerRef } });
    uninspected.add(host.snapshot.name);
    await expect
      .poll(async () => attributesOf(await host.handle.describe()))
      .toMatchObject({
        TemperState: 'inspecting',
        TemperConsumer: expect.stringMatching(/^metal\/(ab)+a?$/) as unknown,
      });
    uninspected.delete(host.snapshot.name);
    await available(host);
    expect(await host.failedTasks()).toBe(0);
    await end(host);
  });

  test('of a host that is stuck is listed so, until its state changes', async () => {
    const host = await scene.aHost();
    const { uid } = host.snapshot;
    uninspected.add(host.snapshot.name);
    const listed = async (): Promise<object> => attributesOf(await host.handle.describe());
    await expect.poll(listed).toMatchObject({ TemperState: 'inspecting', TemperWaitsFor: 'hardware' });
    const upserts = async (): Promise<number> => {
      const { events = [] } = await host.handle.fetchHistory();
      return (events ?? []).filter((event) => event.upsertWorkflowSearchAttributesEventAttributes).length;
    };
    const before = await upserts();

    for (const wrong of [
      { uid: 'somebody-elses', state: 'inspecting' },
      { uid, state: 'provisioning' },
    ])
      await host.handle.signal(stuckObserved, wrong);
    await host.handle.signal(stuckObserved, { uid, state: 'inspecting' });
    await expect.poll(listed).toMatchObject({ TemperState: 'inspecting', TemperWaitsFor: 'stuck' });
    await host.handle.signal(stuckObserved, { uid, state: 'inspecting' });
    await expect.poll(() => signalsOf(host)).toBe(4);
    expect(await upserts()).toBe(before + 1);

    uninspected.delete(host.snapshot.name);
    await available(host);
    await expect.poll(listed).toMatchObject({ TemperState: 'available' });
    expect(await listed()).not.toHaveProperty('TemperWaitsFor');
    await end(host);
  });

  test('is listed with the time since when its host is in its state, or shows its error', async () => {
    const host = await scene.aHost();
    const { uid, name } = host.snapshot;
    uninspected.add(name);
    const listed = async () => {
      const { typedSearchAttributes: known } = await host.handle.describe();
      const [state, error, waitsFor] = [TEMPER_STATE, TEMPER_ERROR, TEMPER_WAITS_FOR].map((key) => known.get(key));
      return { state, error, waitsFor, since: known.get(TEMPER_SINCE)?.getTime() ?? 0 };
    };
    await expect.poll(listed).toMatchObject({ state: 'inspecting', waitsFor: 'hardware' });
    const inspecting = await listed();
    const history = await host.handle.fetchHistory();
    const begun = Number(history.events?.[0]?.eventTime?.seconds ?? 0) * 1_000;
    expect(inspecting.since).toBeGreaterThan(begun);
    expect(inspecting.since).toBeLessThanOrEqual(Date.now());

    // What it waits for is another, its state is not.
    await host.handle.signal(stuckObserved, { uid, state: 'inspecting' });
    await expect.poll(listed).toMatchObject({ waitsFor: 'stuck', since: inspecting.since });

    dark.add(name);
    uninspected.delete(name);
    await expect.poll(listed).toMatchObject({ state: 'inspecting', error: 'inspection error' });
    const failed = await listed();
    expect(failed.since).toBeGreaterThan(inspecting.since);

    dark.delete(name);
    await host.tell({ generation: 2, spec: { online: false, description: 'corrected' } });
    await available(host);
    await expect.poll(listed).toMatchObject({ state: 'available', error: undefined });
    expect((await listed()).since).toBeGreaterThan(failed.since);
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
      .poll(async () =>
        (await left.fetchHistory()).events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes),
      )
      .toBe(true);
    await left.terminate('has ended at last');
    await available(host);
    expect(host.shown.flatMap(({ shown }) => (shown.events ?? []).map(({ reason }) => reason))).not.toContain(
      'InspectionError',
    );
    expect(await host.failedTasks()).toBe(0);
    await end(host);
  });

  test('that was reset while its operation ran goes on, although the operation is cancelled meanwhile', async () => {
    const host = await scene.aHost();
    uninspected.add(host.snapshot.name);
    await expect.poll(() => host.shown.map(({ shown }) => shown.state)).toContain('inspecting');
    const operation = scene.client.workflow.getHandle(`${host.handle.workflowId}/inspect/1`);
    await expect.poll(() => startedBy(host), { timeout: 60_000 }).toBeDefined();
    await scene.client.workflowService.resetWorkflowExecution({
      namespace: scene.client.options.namespace,
      workflowExecution: { workflowId: host.handle.workflowId, runId: (await host.handle.describe()).runId },
      workflowTaskFinishEventId: (await startedBy(host)) ?? null,
      requestId: crypto.randomUUID(),
      reason: 'by a test',
    });
    await operation.cancel();
    await expect.poll(async () => (await operation.describe()).status.name).toBe('CANCELLED');
    uninspected.delete(host.snapshot.name);
    // The bridge tells a run that knows less than its object what there is, and the run cancels its operation.
    const provisioning = { state: 'available', ID: aNode().id, image: { url: '' } };
    const status = { operationalStatus: 'OK', errorMessage: '', errorCount: 0, poweredOn: false, provisioning };
    await host.tell({ status: status as never }, true);
    await available(host);
    await end(host);
  });
});

/** Signals about being stuck of which a workflow task has learned. */
async function signalsOf({ handle }: HostRun): Promise<number> {
  const { events } = await handle.fetchHistory();
  const ended = events?.findLastIndex((event) => event.workflowTaskCompletedEventAttributes) ?? 0;
  const known = events?.slice(0, ended) ?? [];
  return known.filter((event) => event.workflowExecutionSignaledEventAttributes?.signalName === stuckObserved.name)
    .length;
}

/** The id of the end of the workflow task in which the run learned that its operation was started. */
async function startedBy({ handle }: HostRun) {
  const { events } = await handle.fetchHistory();
  const started = events?.findIndex((event) => event.childWorkflowExecutionStartedEventAttributes) ?? -1;
  if (started === -1) return undefined;
  return events?.slice(started).find((event) => event.workflowTaskCompletedEventAttributes)?.eventId;
}
