import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import {
  IRONIC_TASK_QUEUE,
  MESSAGE_TASK_QUEUE,
  NODE_TASK_QUEUE,
  TASK_QUEUE,
  WAIT_TASK_QUEUE,
} from '../../workflows/messages.ts';
import { sharedControlPlane } from './control-plane.ts';
import type { Called, callWorkflow } from './queues/calling-workflow.ts';

/** The queues of the workers on a real Temporal server: each worker has one slot for activities. */
const QUEUES = [TASK_QUEUE, WAIT_TASK_QUEUE, MESSAGE_TASK_QUEUE, NODE_TASK_QUEUE];
const { temporalAddress: address, temporalNamespace: namespace } = sharedControlPlane();
let client: Client;
let connection: NativeConnection;
/** Ends what `work` has started. */
const ends: (() => Promise<void>)[] = [];

/** In the order in which activities began. */
const begun: Called[] = [];
/** The first request to Ironic of a test is answered when the test says so. */
let answer = Promise.withResolvers<void>();

const answered = (name: Called) => [name, () => void begun.push(name)] as const;
const forever = (name: Called) =>
  [
    name,
    () => {
      begun.push(name);
      return Context.current().cancelled;
    },
  ] as const;
const activities = Object.fromEntries<() => unknown>([
  ...(['setPower', 'abortNode', 'deleteNode', 'takeHost', 'settleClaims', 'settleAddresses'] as const).map(answered),
  ...(['waitForNode', 'awaitNode'] as const).map(forever),
  ...(['deployNode', 'undeployNode'] as const).map(
    (name) =>
      [
        name,
        () => {
          begun.push(name);
          return answer.promise;
        },
      ] as const,
  ),
  // As in production, they wait for an activity of the host's run.
  ...(['requestHost', 'returnHost', 'forwardToHost'] as const).map((name) => [name, () => run('takeHost')] as const),
]);

const call = (name: Called) =>
  client.workflow.start<typeof callWorkflow>('callWorkflow', {
    taskQueue: TASK_QUEUE,
    workflowId: `call-${name}-${randomBytes(4).toString('hex')}`,
    args: [name],
  });
const run = async (name: Called): Promise<void> => (await call(name)).result();

async function work(...queues: readonly string[]): Promise<() => Promise<void>> {
  const workflowsPath = fileURLToPath(new URL('./queues/calling-workflow.ts', import.meta.url));
  const workers = await Promise.all(
    queues.map(async (taskQueue) =>
      Worker.create({
        connection,
        namespace,
        taskQueue,
        activities,
        maxConcurrentActivityTaskExecutions: 1,
        shutdownGraceTime: 0,
        ...(taskQueue === TASK_QUEUE && { workflowBundle: await bundleWorkflowCode({ workflowsPath }) }),
      }),
    ),
  );
  const working = Promise.all(workers.map((worker) => worker.run()));
  return async () => {
    for (const worker of workers) worker.shutdown();
    await working;
  };
}

beforeAll(async () => {
  client = new Client({ connection: await connectTemporal({ address }), namespace });
  connection = await NativeConnection.connect({ address });
  ends.push(await work(...QUEUES));
});
afterAll(async () => {
  answer.resolve();
  for (const end of ends) await end();
  await Promise.all([connection.close(), client.connection.close()]);
});

test('of requests that wait for their turn at Ironic, those that power off, abort or delete go first', async () => {
  const deployments = [await call('deployNode'), await call('deployNode'), await call('undeployNode')];
  const urgent: readonly Called[] = ['setPower', 'abortNode', 'deleteNode'];
  const first = await Promise.all(urgent.map(call));
  await Promise.all([...deployments, ...first].map(areScheduled));
  answer.resolve();
  const end = await work(IRONIC_TASK_QUEUE);
  await Promise.all([...deployments, ...first].map((each) => each.result()));
  expect(new Set(begun.slice(0, 3))).toEqual(new Set(urgent));
  expect(begun.slice(3).toSorted()).toEqual(['deployNode', 'deployNode', 'undeployNode']);
  await end();
});

test('requests and waits that Ironic does not answer keep nothing else from being served', async () => {
  answer = Promise.withResolvers();
  begun.splice(0);
  ends.push(await work(IRONIC_TASK_QUEUE));
  const silent: readonly Called[] = ['undeployNode', 'waitForNode', 'awaitNode'];
  const hanging = await Promise.all(silent.map(call));
  await expect.poll(() => begun.toSorted()).toEqual(silent.toSorted());

  await Promise.all((['requestHost', 'returnHost', 'forwardToHost'] as const).map(run));
  await Promise.all((['settleClaims', 'settleAddresses'] as const).map(run));

  await Promise.all(hanging.map((each) => each.terminate('the test is over')));
});

const areScheduled = async (called: Awaited<ReturnType<typeof call>>): Promise<void> =>
  expect.poll(async () => ((await called.describe()).raw.pendingActivities ?? []).length).toBe(1);
