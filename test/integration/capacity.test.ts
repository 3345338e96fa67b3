import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { currentCall } from '../../activities/ironic/context.ts';
import { createLockMessages, createPlaceActivities, type LockMessages } from '../../activities/requests/places.ts';
import type { PlaceRequest } from '../../domain/lock/lock.ts';
import { LOCKS, SLOTS_IN_IRONIC } from '../../domain/lock/policy.ts';
import type { LockView } from '../../domain/lock/words.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import { LOCK_WORKFLOW_TYPE, lockView, placesReturned } from '../../workflows/lock/messages.ts';
import { TASK_QUEUE, WAIT_TASK_QUEUE } from '../../workflows/messages.ts';
import { answers } from './capacity/holder-workflow.ts';
import { sharedControlPlane } from './control-plane.ts';

/** The lock of the slots on a real Temporal server, with lost requests and lost state. */
const PATIENCE = { timeout: 600_000, interval: 200 };
let client: Client;
let messages: LockMessages;
let connection: NativeConnection;
let workers: readonly Worker[];
let working: Promise<unknown>;
/** The nodes that Ironic would report as busy. */
let busy: readonly string[] = [];

beforeAll(async () => {
  const { temporalAddress: address, temporalNamespace: namespace } = sharedControlPlane();
  client = new Client({ connection: await connectTemporal({ address }), namespace });
  messages = createLockMessages(client);
  connection = await NativeConnection.connect({ address });
  const workflowsPath = fileURLToPath(new URL('./capacity/holder-workflow.ts', import.meta.url));
  workers = await Promise.all([
    Worker.create({
      connection,
      namespace,
      taskQueue: TASK_QUEUE,
      workflowBundle: await bundleWorkflowCode({ workflowsPath }),
      activities: createPlaceActivities({ messages, currentCall }),
    }),
    Worker.create({
      connection,
      namespace,
      taskQueue: WAIT_TASK_QUEUE,
      activities: { busyNodes: () => Promise.resolve({ nodeIds: busy }) },
    }),
  ]);
  working = Promise.all(workers.map((worker) => worker.run()));
});
afterAll(async () => {
  for (const worker of workers) worker.shutdown();
  await working;
  await Promise.all([connection.close(), client.connection.close()]);
});
afterEach(async () => {
  busy = [];
  await capacity().terminate('the test is over');
});

const capacity = () => client.workflow.getHandle(LOCKS.slots.workflowId);
const aRequest = (holder: string, change: Partial<PlaceRequest> = {}): PlaceRequest => ({
  holder,
  uid: holder,
  ticket: `${holder}/1`,
  needs: [{ budget: SLOTS_IN_IRONIC, limit: 1 }],
  underway: false,
  nodeId: '',
  ...change,
});
/** Looks at the holders every second, so that the test need not wait for minutes. */
const lookingOften = (): Promise<unknown> =>
  client.workflow.start(LOCK_WORKFLOW_TYPE, {
    workflowId: LOCKS.slots.workflowId,
    taskQueue: TASK_QUEUE,
    args: [{ name: 'slots', policy: LOCKS.slots.policy, lookAgainMs: 1_000 }],
  });
const view = (): Promise<LockView> => capacity().query(lockView);

interface Host {
  readonly id: string;
  readonly ticket: string;
  ask(): Promise<unknown>;
  giveBack(): Promise<unknown>;
  terminate(): Promise<unknown>;
  answered(): Promise<readonly string[]>;
}

async function aHost(namespace = 'metal'): Promise<Host> {
  const id = `holder/${namespace}/${randomBytes(4).toString('hex')}`;
  const handle = await client.workflow.start('holderWorkflow', { workflowId: id, taskQueue: TASK_QUEUE });
  const ticket = `${id}/1`;
  return {
    id,
    ticket,
    ask: () => messages.ask('slots', aRequest(id, { ticket, nodeId: `node of ${id}` }), new AbortController().signal),
    giveBack: () => client.workflow.getHandle(LOCKS.slots.workflowId).signal(placesReturned, [ticket]),
    terminate: () => handle.terminate('lost in the test'),
    answered: async () => (await handle.query(answers)).map(({ kind }) => kind),
  };
}

const until = (host: Host, ...expected: readonly string[]): Promise<void> =>
  vi.waitFor(async () => expect(await host.answered()).toEqual(expected), PATIENCE);

describe('with one slot', () => {
  test('the second host waits until the first returns it', async () => {
    const [first, second] = [await aHost(), await aHost()];
    await first.ask();
    await until(first, 'granted');
    await second.ask();
    await until(second, 'queued');
    await first.giveBack();
    await until(second, 'queued', 'granted');
    expect((await view()).holders.map(({ holder }) => holder)).toEqual([second.id]);
  });

  test('no host gets it while Ironic works on an unknown node, and the next one does as soon as that ends', async () => {
    busy = ['a stranger'];
    const host = await aHost();
    await host.ask();
    await until(host, 'queued');
    busy = [];
    await until(host, 'queued', 'granted');
  });

  test('a host that left the queue is skipped', async () => {
    const [first, lost, third] = [await aHost(), await aHost(), await aHost()];
    await first.ask();
    await until(first, 'granted');
    await lost.ask();
    await until(lost, 'queued');
    await third.ask();
    await until(third, 'queued');
    await lost.terminate();
    await first.giveBack();
    await until(third, 'queued', 'granted');
  });

  test('it comes free by itself when the run that held it is lost', async () => {
    await lookingOften();
    const [holder, waiting] = [await aHost(), await aHost()];
    await holder.ask();
    await until(holder, 'granted');
    await waiting.ask();
    await until(waiting, 'queued');
    await holder.terminate();
    await until(waiting, 'queued', 'granted');
  });

  test('a repeated request restarts the run of the slots, and waits while Ironic works for the former holder', async () => {
    const [holder, waiting] = [await aHost(), await aHost()];
    await holder.ask();
    await until(holder, 'granted');
    busy = [`node of ${holder.id}`];
    await waiting.ask();
    await until(waiting, 'queued');
    await capacity().terminate('lost in the test');
    await waiting.ask();
    await until(waiting, 'queued', 'queued');
    busy = [];
    await until(waiting, 'queued', 'queued', 'granted');
  });

  test('a hundred that request a slot at once all learn that they wait', async () => {
    const holder = await aHost();
    await holder.ask();
    await until(holder, 'granted');
    const many: Host[] = [];
    for (let count = 0; count < 100; count += 1) many.push(await aHost());

    await Promise.all(many.map((host) => host.ask()));

    for (const host of many) await until(host, 'queued');
    expect((await view()).queue).toHaveLength(many.length);
    await Promise.all(many.map((host) => host.terminate()));
  });

  test('a namespace with many hosts that wait holds up no other one', async () => {
    const holder = await aHost('many');
    await holder.ask();
    await until(holder, 'granted');
    const many: Host[] = [];
    for (let count = 0; count < 10; count += 1) many.push(await aHost('many'));
    for (const host of many) await host.ask();
    for (const host of many) await until(host, 'queued');
    const one = await aHost('few');
    await one.ask();
    await until(one, 'queued');
    expect((await view()).queue[1]?.holder).toBe(one.id);
    await holder.giveBack();
    await until(many[0] as Host, 'queued', 'granted');
    await many[0]?.giveBack();
    await until(one, 'queued', 'granted');
    await Promise.all(many.map((host) => host.terminate()));
  });

  test('garbage is ignored, and whoever waits is served', async () => {
    const [holder, waiting] = [await aHost(), await aHost()];
    await holder.ask();
    await until(holder, 'granted');
    const request = aRequest('h');
    const bad = [
      undefined,
      null,
      {},
      'x',
      5,
      { ...request, needs: [{ budget: 'b', limit: -1 }] },
      { ...request, needs: [{ budget: 'b', limit: 1e99 }] },
      { ...request, nodeId: 'n'.repeat(100) },
      { ...request, uid: 7 },
    ];
    for (const input of bad) await capacity().signal('placeRequested', input);
    for (const input of [undefined, null, {}, 'x', [7], [null]]) await capacity().signal('placesReturned', input);
    await waiting.ask();
    await until(waiting, 'queued');
    await holder.giveBack();
    await until(waiting, 'queued', 'granted');
    const { events } = await capacity().fetchHistory();
    expect((events ?? []).filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
  });

  test('garbage that never ends leads to another run, although nothing changes', async () => {
    const holder = await aHost();
    await holder.ask();
    await until(holder, 'granted');
    const { runId } = await capacity().describe();
    for (let bursts = 0; (await capacity().describe()).runId === runId; bursts++) {
      expect(bursts).toBeLessThan(30);
      await Promise.all(Array.from({ length: 100 }, () => capacity().signal('placesReturned', {})));
      await vi.waitFor(async () => expect((await capacity().describe()).raw.pendingWorkflowTask).toBeFalsy(), PATIENCE);
    }
    expect((await view()).holders.map((entry) => entry.holder)).toEqual([holder.id]);
  });

  test('the holder is known from run to run', async () => {
    const holder = await aHost();
    await holder.ask();
    await until(holder, 'granted');
    const { runId } = await capacity().describe();
    const other = await aHost();
    await vi.waitFor(async () => {
      await other.ask();
      await other.giveBack();
      expect((await capacity().describe()).runId).not.toBe(runId);
    }, PATIENCE);
    expect((await view()).holders.map((entry) => entry.holder)).toEqual([holder.id]);
  });

  test('a host asks for it and returns it by signals; an activity starts the run of the slots where there is none', async () => {
    const served = async (): Promise<readonly string[]> => {
      const workflowId = `applicant/${randomBytes(4).toString('hex')}`;
      const request = aRequest(workflowId);
      const start = { workflowId, taskQueue: TASK_QUEUE, args: [request] };
      const run = await client.workflow.start('applicantWorkflow', start);
      await run.result();
      await vi.waitFor(async () => expect((await view()).holders).toEqual([]), PATIENCE);
      const events = (await run.fetchHistory()).events ?? [];
      return events.flatMap((event) => {
        const activity = event.activityTaskScheduledEventAttributes?.activityType?.name;
        const signal = event.signalExternalWorkflowExecutionInitiatedEventAttributes?.signalName;
        // What is done within a task may end in another order in a replay.
        const marker = event.markerRecordedEventAttributes?.markerName;
        return [activity, signal, marker].filter((name) => typeof name === 'string');
      });
    };
    expect(await served()).toEqual(['placeRequested', 'askForPlace', 'placesReturned']);
    expect(await served()).toEqual(['placeRequested', 'placesReturned']);
  });
});
