import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLockMessages, type LockMessages } from '../../activities/requests/places.ts';
import { packed } from '../../domain/lock/bound.ts';
import { type PlaceRequest, unused } from '../../domain/lock/lock.ts';
import { ticketOf } from '../../domain/lock/marks.ts';
import { LOCKS } from '../../domain/lock/policy.ts';
import { ask } from '../../domain/lock/requests.ts';
import type { LockView } from '../../domain/lock/words.ts';
import { createLockActivities } from '../../k8s-bridge/lock/hosts-for-locks.ts';
import { KINDS } from '../../kube/kinds.ts';
import { createStore } from '../../kube/store.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import { LOCK_WORKFLOW_TYPE, lockView, placesReturned } from '../../workflows/lock/messages.ts';
import { BRIDGE_TASK_QUEUE, hostWorkflowId, TASK_QUEUE } from '../../workflows/messages.ts';
import { atNight } from '../at-night.ts';
import { admittedHost } from '../builders/admission.ts';
import { putIn } from '../builders/stored-objects.ts';
import { answers } from './budgets/holder-workflow.ts';
import { sharedControlPlane } from './control-plane.ts';

/** The lock of budgets on a real Temporal server, with lost requests and lost state. */
const PATIENCE = { timeout: 600_000, interval: 100 };
const BUDGET = 'all in Namespace metal';
let client: Client;
let messages: LockMessages;
let workers: NativeConnection;
const running: { readonly worker: Worker; readonly ended: Promise<void> }[] = [];
const store = createStore();

beforeAll(async () => {
  const { temporalAddress: address, temporalNamespace: namespace } = sharedControlPlane();
  client = new Client({ connection: await connectTemporal({ address }), namespace });
  messages = createLockMessages(client);
  workers = await NativeConnection.connect({ address });
  const workflowsPath = fileURLToPath(new URL('./budgets/holder-workflow.ts', import.meta.url));
  const shared = { connection: workers, namespace };
  const made = [
    await Worker.create({
      ...shared,
      taskQueue: TASK_QUEUE,
      workflowBundle: await bundleWorkflowCode({ workflowsPath }),
    }),
    await Worker.create({ ...shared, taskQueue: BRIDGE_TASK_QUEUE, activities: { ...createLockActivities(store) } }),
  ];
  running.push(...made.map((worker) => ({ worker, ended: worker.run() })));
  store.markComplete();
});
afterAll(async () => {
  for (const { worker } of running) worker.shutdown();
  await Promise.all(running.map(({ ended }) => ended));
  await Promise.all([workers.close(), client.connection.close()]);
});
afterEach(async () => {
  for (const { name } of store.values(KINDS.host)) store.remove(KINDS.host, `metal/${name}`);
  await budgets().terminate('the test is over');
});

const budgets = () => client.workflow.getHandle(LOCKS.budgets.workflowId);
const view = (): Promise<LockView> => budgets().query(lockView);
const namesIn = (entries: LockView['queue']): readonly string[] => entries.map(({ holder }) => holder);
/** Looks at the holders every half second, so that the test need not wait for minutes. */
const lookingOften = (): Promise<unknown> =>
  client.workflow.start(LOCK_WORKFLOW_TYPE, {
    workflowId: LOCKS.budgets.workflowId,
    taskQueue: TASK_QUEUE,
    args: [{ name: 'budgets', policy: LOCKS.budgets.policy, lookAgainMs: 500 }],
  });

interface Host {
  readonly name: string;
  readonly id: string;
  readonly uid: string;
  ask(change?: Partial<PlaceRequest>): Promise<unknown>;
  giveBack(): Promise<unknown>;
  terminate(): Promise<unknown>;
  start(): Promise<unknown>;
  answered(): Promise<readonly string[]>;
}

async function aHost(type: 'holderWorkflow' | 'hastyHolderWorkflow' = 'holderWorkflow'): Promise<Host> {
  const name = `h${randomBytes(4).toString('hex')}`;
  const id = hostWorkflowId({ namespace: 'metal', name });
  const uid = `uid-of-${name}`;
  const handle = () => client.workflow.getHandle(id);
  const start = () => client.workflow.start(type, { workflowId: id, taskQueue: TASK_QUEUE });
  await start();
  const request = {
    holder: id,
    uid,
    ticket: ticketOf(uid, '1'),
    needs: [{ budget: BUDGET, limit: 1 }],
    underway: false,
  };
  return {
    name,
    id,
    uid,
    start,
    ask: (change = {}) => messages.ask('budgets', { ...request, ...change }, new AbortController().signal),
    giveBack: () => budgets().signal(placesReturned, [request.ticket]),
    terminate: () => handle().terminate('lost in the test'),
    answered: async () =>
      (await handle().query(answers)).map((answer) =>
        answer.kind !== 'queued' ? answer.kind : `after ${answer.waitsFor.holders.join()}, ${answer.waitsFor.ahead}`,
      ),
  };
}

const until = (host: Host, ...expected: readonly string[]): Promise<void> =>
  vi.waitFor(async () => expect(await host.answered()).toEqual(expected), PATIENCE);

describe('with a budget of one', () => {
  test('the others wait in the order of asking, and know for whom, until each gives its place back', async () => {
    const [first, second, third] = [await aHost(), await aHost(), await aHost()];
    await first.ask();
    await until(first, 'granted');
    await second.ask();
    await until(second, `after ${first.id}, 0`);
    await third.ask();
    await until(third, `after ${first.id}, 1`);
    await first.giveBack();
    await until(second, `after ${first.id}, 0`, 'granted');
    await until(third, `after ${first.id}, 1`, `after ${second.id}, 0`);
    await second.giveBack();
    await until(third, `after ${first.id}, 1`, `after ${second.id}, 0`, 'granted');
    expect(namesIn((await view()).holders)).toEqual([third.id]);
  });

  test('another one takes effect for who waits', async () => {
    const [first, second] = [await aHost(), await aHost()];
    await first.ask();
    await second.ask();
    await until(second, `after ${first.id}, 0`);
    await second.ask({ needs: [{ budget: BUDGET, limit: 2 }] });
    await until(second, `after ${first.id}, 0`, 'granted');
  });

  test('a run that is lost gives its place back, and one that is started again keeps it', async () => {
    await lookingOften();
    const [kept, waiting] = [await aHost(), await aHost()];
    await kept.ask();
    await until(kept, 'granted');
    await waiting.ask();
    await until(waiting, `after ${kept.id}, 0`);
    await kept.terminate();
    await kept.start();
    await kept.ask({ ticket: ticketOf(kept.uid, '2'), underway: true });
    await vi.waitFor(async () => expect((await kept.answered()).length).toBeGreaterThan(1), PATIENCE);
    expect(namesIn((await view()).queue)).toEqual([waiting.id]);

    await kept.terminate();
    await vi.waitFor(async () => expect((await waiting.answered()).at(-1)).toBe('granted'), PATIENCE);
    expect(namesIn((await view()).holders)).toEqual([waiting.id]);
  });

  test('a host that left the line is skipped', async () => {
    const [first, lost, third] = [await aHost(), await aHost(), await aHost()];
    await first.ask();
    await until(first, 'granted');
    await lost.ask();
    await until(lost, `after ${first.id}, 0`);
    await third.ask();
    await until(third, `after ${first.id}, 1`);
    await lost.terminate();
    await first.giveBack();
    await vi.waitFor(async () => expect((await third.answered()).at(-1)).toBe('granted'), PATIENCE);
  });

  test('when all of it is forgotten, the hosts whose objects show that the step has begun count first', async () => {
    const [holder, waiting] = [await aHost(), await aHost()];
    const {
      metadata,
      status = {},
      ...rest
    } = admittedHost({ spec: { image: { url: 'http://images/a' } }, state: 'provisioning' });
    putIn(store, KINDS.host, holder.name, {
      metadata: {
        ...metadata,
        name: holder.name,
        namespace: 'metal',
        uid: holder.uid,
        annotations: { 'temper/approval-inherited': JSON.stringify([{ of: 'Namespace metal', budget: '1' }]) },
      },
      status,
      ...rest,
    });
    await waiting.ask();
    await until(waiting, `after ${holder.id}, 0`);
    await until(holder, 'granted');
    await budgets().signal(placesReturned, [ticketOf(holder.uid, 'shown')]);
    await until(waiting, `after ${holder.id}, 0`, 'granted');
  });

  test('a run that has only what stands for the names of hosts learns them, and skips a host that is gone', async () => {
    const [holder, waiting] = [await aHost(), await aHost()];
    for (const { name, uid } of [holder, waiting]) {
      const { status = {}, metadata, ...rest } = admittedHost({ spec: {} });
      putIn(store, KINDS.host, name, { ...rest, status, metadata: { ...metadata, name, namespace: 'metal', uid } });
    }
    const gone = { id: hostWorkflowId({ namespace: 'metal', name: 'gone' }), uid: 'uid-of-gone' };
    const named = [holder, gone, waiting].reduce(
      (lock, { id, uid }) =>
        ask(lock, {
          holder: id,
          uid,
          ticket: ticketOf(uid, '1'),
          needs: [{ budget: BUDGET, limit: 1 }],
          underway: false,
        }),
      unused(LOCKS.budgets.policy),
    );
    const short = { ...named, queue: named.queue.map((entry) => ({ ...entry, holder: entry.short })) };
    await client.workflow.start(LOCK_WORKFLOW_TYPE, {
      workflowId: LOCKS.budgets.workflowId,
      taskQueue: TASK_QUEUE,
      args: [{ name: 'budgets', policy: LOCKS.budgets.policy, isKnown: true, lock: packed(short) }],
    });
    await until(holder, 'granted');
    await vi.waitFor(async () => expect((await waiting.answered()).at(-1)).toBe(`after ${holder.id}, 0`), PATIENCE);
    await holder.giveBack();
    await vi.waitFor(async () => expect((await waiting.answered()).at(-1)).toBe('granted'), PATIENCE);
    const { holders, queue } = await view();
    expect([namesIn(holders), namesIn(queue)]).toEqual([[waiting.id], []]);
  });

  test('what is returned while others are given theirs is free for the next', async () => {
    const hosts = await Promise.all(Array.from({ length: 60 }, () => aHost('hastyHolderWorkflow')));
    await Promise.all(hosts.map((host) => host.ask({ needs: [{ budget: BUDGET, limit: 20 }] })));
    await vi.waitFor(async () => {
      const { holders, queue } = await view();
      expect([namesIn(holders), namesIn(queue)]).toEqual([[], []]);
    }, PATIENCE);
    await Promise.all(hosts.map((host) => host.terminate()));
  });

  test('a run that is lost gives its place back, however often others ask', async () => {
    await lookingOften();
    const [lost, waiting, other] = [await aHost(), await aHost(), await aHost()];
    await lost.ask();
    await until(lost, 'granted');
    await waiting.ask();
    await until(waiting, `after ${lost.id}, 0`);
    await lost.terminate();
    let isAsking = true;
    const asking = Array.from({ length: 8 }, async () => {
      while (isAsking) await other.ask();
    });
    await vi.waitFor(async () => expect((await waiting.answered()).at(-1)).toBe('granted'), PATIENCE);
    isAsking = false;
    await Promise.all(asking);
  });

  test('garbage is ignored, and whoever waits is served', async () => {
    const [holder, waiting] = [await aHost(), await aHost()];
    await holder.ask();
    await until(holder, 'granted');
    const request = { holder: 'h', uid: 'u', ticket: 't', needs: [], underway: false };
    const bad = [undefined, null, 'x', {}, { ...request, needs: [{ budget: 'b', limit: 0 }] }, { ...request, uid: 7 }];
    for (const input of bad) await budgets().signal('placeRequested', input);
    for (const input of [undefined, null, {}, 'x', [7]]) await budgets().signal('placesReturned', input);
    await waiting.ask();
    await until(waiting, `after ${holder.id}, 0`);
    await holder.giveBack();
    await until(waiting, `after ${holder.id}, 0`, 'granted');
    const { events } = await budgets().fetchHistory();
    expect((events ?? []).filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
  });

  test('garbage that never ends leads to another run, although nothing changes', async ({ skip }) => {
    atNight(skip, 'test/integration/capacity.test.ts');
    const holder = await aHost();
    await holder.ask();
    await until(holder, 'granted');
    const { runId } = await budgets().describe();
    for (let bursts = 0; (await budgets().describe()).runId === runId; bursts++) {
      expect(bursts).toBeLessThan(30);
      await Promise.all(Array.from({ length: 100 }, () => budgets().signal('placesReturned', {})));
      await vi.waitFor(async () => expect((await budgets().describe()).raw.pendingWorkflowTask).toBeFalsy(), PATIENCE);
    }
    expect((await view()).holders.map((entry) => entry.holder)).toEqual([holder.id]);
  });

  test('holders and the line are known from run to run', async ({ skip }) => {
    atNight(skip, 'test/integration/capacity.test.ts');
    const [holder, waiting, other] = [await aHost(), await aHost(), await aHost()];
    await holder.ask();
    await until(holder, 'granted');
    await waiting.ask();
    await until(waiting, `after ${holder.id}, 0`);
    const { runId } = await budgets().describe();
    await vi.waitFor(async () => {
      await Promise.all(Array.from({ length: 20 }, () => other.ask()));
      expect((await budgets().describe()).runId).not.toBe(runId);
    }, PATIENCE);
    const { holders, queue } = await view();
    expect([namesIn(holders), namesIn(queue)]).toEqual([[holder.id], [waiting.id, other.id]]);
  });
});
