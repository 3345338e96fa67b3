import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { currentCall } from '../../activities/ironic/context.ts';
import { createSlotActivities, createSlotMessages, type SlotMessages } from '../../activities/requests/slots.ts';
import type { Capacity } from '../../domain/capacity/capacity.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import { CAPACITY_WORKFLOW_ID, capacityView, slotsReturned } from '../../workflows/capacity/messages.ts';
import { TASK_QUEUE, WAIT_TASK_QUEUE } from '../../workflows/messages.ts';
import { answers } from './capacity/holder-workflow.ts';
import { sharedControlPlane } from './control-plane.ts';

/** The capacity workflow on a real Temporal server, with lost requests and lost state. */
const PATIENCE = { timeout: 600_000, interval: 200 };
let client: Client;
let messages: SlotMessages;
let connection: NativeConnection;
let workers: readonly Worker[];
let working: Promise<unknown>;
/** The nodes that Ironic would report as busy. */
let busy: readonly string[] = [];

beforeAll(async () => {
  const { temporalAddress: address, temporalNamespace: namespace } = sharedControlPlane();
  client = new Client({ connection: await connectTemporal({ address }), namespace });
  messages = createSlotMessages(client);
  connection = await NativeConnection.connect({ address });
  const workflowsPath = fileURLToPath(new URL('./capacity/holder-workflow.ts', import.meta.url));
  workers = await Promise.all([
    Worker.create({
      connection,
      namespace,
      taskQueue: TASK_QUEUE,
      workflowBundle: await bundleWorkflowCode({ workflowsPath }),
      activities: createSlotActivities({ messages, currentCall }),
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

const capacity = () => client.workflow.getHandle(CAPACITY_WORKFLOW_ID);
const view = (): Promise<Capacity> => capacity().query(capacityView);

interface Host {
  readonly id: string;
  readonly ticket: string;
  ask(): Promise<unknown>;
  giveBack(): Promise<unknown>;
  terminate(): Promise<unknown>;
  answered(): Promise<readonly string[]>;
}

async function aHost(): Promise<Host> {
  const id = `holder/${randomBytes(4).toString('hex')}`;
  const handle = await client.workflow.start('holderWorkflow', { workflowId: id, taskQueue: TASK_QUEUE });
  const ticket = `${id}/1`;
  return {
    id,
    ticket,
    ask: () =>
      messages.ask({ holder: id, uid: id, ticket, nodeId: `node of ${id}`, limit: 1 }, new AbortController().signal),
    giveBack: () => client.workflow.getHandle(CAPACITY_WORKFLOW_ID).signal(slotsReturned, [ticket]),
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
    const [holder, waiting] = [await aHost(), await aHost()];
    await holder.ask();
    await until(holder, 'granted');
    await waiting.ask();
    await until(waiting, 'queued');
    await holder.terminate();
    await until(waiting, 'queued', 'granted');
  });

  test('a repeated request restarts the capacity workflow, and waits while Ironic works for the former holder', async () => {
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

  test('garbage is ignored, and whoever waits is served', async () => {
    const [holder, waiting] = [await aHost(), await aHost()];
    await holder.ask();
    await until(holder, 'granted');
    const request = { holder: 'h', uid: 'u', ticket: 't', nodeId: '', limit: 1 };
    const bad = [
      undefined,
      null,
      {},
      'x',
      5,
      { ...request, limit: -1 },
      { ...request, limit: 1e99 },
      { ...request, uid: 7 },
    ];
    for (const input of bad) await capacity().signal('slotAsked', input);
    for (const input of [undefined, null, {}, 'x', [7], [null]]) await capacity().signal('slotsReturned', input);
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
      await Promise.all(Array.from({ length: 100 }, () => capacity().signal('slotsReturned', {})));
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

  test('a host asks for it and returns it by signals; an activity starts the capacity workflow when it does not run', async () => {
    const served = async (): Promise<readonly string[]> => {
      const workflowId = `applicant/${randomBytes(4).toString('hex')}`;
      const request = { holder: workflowId, uid: workflowId, ticket: `${workflowId}/1`, nodeId: '', limit: 1 };
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
    expect(await served()).toEqual(['slotAsked', 'askForSlot', 'slotsReturned']);
    expect(await served()).toEqual(['slotAsked', 'slotsReturned']);
  });
});
