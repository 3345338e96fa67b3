import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HostOutcome } from '../../domain/host/step.ts';
import { prepareMove } from '../../domain/ironic/moves/prepare.ts';
import type { DeprovisionOrder, IronicAnswer, PrepareOrder } from '../../domain/ironic/orders.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import { cachedBundle } from '../../workers/bundle.ts';
import { IRONIC_TASK_QUEUE, TASK_QUEUE, WAIT_TASK_QUEUE } from '../../workflows/messages.ts';
import { aNode } from '../builders/host.ts';
import { sharedControlPlane } from './control-plane.ts';

/** Operations on a real Temporal server, whose node was told something before. */
let client: Client;
let connection: NativeConnection;
let working: Promise<unknown>;
let workers: readonly Worker[];
let node = aNode({ state: 'clean wait' });
let afterwards = 'manageable';
const asked: string[] = [];

const ironic = {
  prepareNode: ({ unprepared, retry }: PrepareOrder): Promise<IronicAnswer> => {
    const move = prepareMove(node, { hasSteps: unprepared, retry });
    asked.push(move.kind);
    if (move.kind === 'go') node = aNode({ state: 'cleaning' });
    return Promise.resolve({
      kind: move.kind === 'done' ? 'done' : 'started',
      node,
      ...(move.kind === 'wait' && { alreadyRunning: true }),
    });
  },
  undeployNode: ({ isBegun }: DeprovisionOrder): Promise<IronicAnswer> => {
    asked.push(isBegun ? 'begun' : 'not begun');
    return Promise.resolve(isBegun ? { kind: 'done', node: aNode({ state: 'available' }) } : { kind: 'started', node });
  },
  explainFailure: () => Promise.resolve({ message: 'it does not get there' }),
  waitForNode: () => {
    node = aNode({ state: afterwards });
    return Promise.resolve(node);
  },
};

beforeAll(async () => {
  const { temporalAddress: address, temporalNamespace: namespace } = sharedControlPlane();
  client = new Client({ connection: await connectTemporal({ address }), namespace });
  connection = await NativeConnection.connect({ address });
  const workflowBundle = await cachedBundle();
  workers = await Promise.all([
    Worker.create({ connection, namespace, taskQueue: TASK_QUEUE, workflowBundle }),
    Worker.create({ connection, namespace, taskQueue: IRONIC_TASK_QUEUE, activities: ironic }),
    Worker.create({ connection, namespace, taskQueue: WAIT_TASK_QUEUE, activities: ironic }),
  ]);
  working = Promise.all(workers.map((worker) => worker.run()));
});
afterAll(async () => {
  for (const worker of workers) worker.shutdown();
  await working;
  await Promise.all([connection.close(), client.connection.close()]);
});

test.each([
  ['is waited for, and then the host’s own is asked for', true, ['wait', 'go']],
  ['is waited for when it is the host’s own', false, ['wait', 'done']],
])('cleaning that Ironic was told to do before %s', async (_, unprepared, expected) => {
  node = aNode({ state: 'clean wait' });
  asked.splice(0);
  const outcome = await client.workflow.execute<(order: PrepareOrder) => Promise<HostOutcome>>('prepareWorkflow', {
    workflowId: `prepare-${randomBytes(4).toString('hex')}`,
    taskQueue: TASK_QUEUE,
    args: [
      { host: { namespace: 'metal', name: 'h', uid: 'u' }, nodeId: 'n', unprepared, retry: false } as PrepareOrder,
    ],
  });
  expect(asked).toEqual(expected);
  expect(outcome).toMatchObject({ kind: 'done', node: { state: 'manageable' } });
});

test('an undeployment that Ironic began is never taken for one that was not, also when its database was put back', async () => {
  node = aNode({ state: 'deleting' });
  afterwards = 'active';
  asked.splice(0);
  const outcome = await client.workflow.execute<(order: DeprovisionOrder) => Promise<HostOutcome>>(
    'deprovisionWorkflow',
    {
      workflowId: `deprovision-${randomBytes(4).toString('hex')}`,
      taskQueue: TASK_QUEUE,
      args: [{ host: { namespace: 'metal', name: 'h', uid: 'u' }, nodeId: 'n', retry: false } as DeprovisionOrder],
    },
  );
  expect(asked).toEqual(['not begun', 'begun']);
  expect(outcome).toMatchObject({ kind: 'done', node: { state: 'available' } });
});
