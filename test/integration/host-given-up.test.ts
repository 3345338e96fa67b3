import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KINDS } from '../../api/kinds.ts';
import type { EntityView } from '../../domain/entity/view.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import { cachedBundle } from '../../workers/bundle.ts';
import {
  BRIDGE_TASK_QUEUE,
  hostWorkflowId,
  IRONIC_TASK_QUEUE,
  observed,
  type PublishActivities,
  TASK_QUEUE,
} from '../../workflows/messages.ts';
import { aSnapshot } from '../builders/host.ts';
import { sharedControlPlane } from './control-plane.ts';

/** A host's workflow on a real Temporal server, whose worker is lost in the midst of what is given up. */
const shown: EntityView[] = [];
const begun = Promise.withResolvers<void>();
const over = Promise.withResolvers<void>();
let client: Client;
let connection: NativeConnection;
let working: Promise<unknown>;
let workers: readonly Worker[];

const bridge: PublishActivities = {
  publish: ({ view }) => {
    shown.push(view);
    return Promise.resolve({ kind: 'published' });
  },
};
const ironic = {
  /** Neither answers nor sends heartbeats, like on a lost worker. */
  registerNode: () => {
    begun.resolve();
    return over.promise;
  },
  releaseHost: () => Promise.resolve(),
  deleteNode: () => Promise.resolve({ kind: 'lost' }),
};

beforeAll(async () => {
  const { temporalAddress: address, temporalNamespace: namespace } = sharedControlPlane();
  client = new Client({ connection: await connectTemporal({ address }), namespace });
  connection = await NativeConnection.connect({ address });
  workers = await Promise.all([
    Worker.create({
      connection,
      namespace,
      taskQueue: TASK_QUEUE,
      workflowBundle: await cachedBundle(),
      activities: ironic,
    }),
    Worker.create({ connection, namespace, taskQueue: IRONIC_TASK_QUEUE, activities: ironic }),
    Worker.create({ connection, namespace, taskQueue: BRIDGE_TASK_QUEUE, activities: bridge }),
  ]);
  working = Promise.all(workers.map((worker) => worker.run()));
});
afterAll(async () => {
  over.resolve();
  for (const worker of workers) worker.shutdown();
  await working;
  await Promise.all([connection.close(), client.connection.close()]);
});

test('a cancelled task without an answer is no failure of the host', async () => {
  const snapshot = aSnapshot({ name: randomBytes(4).toString('hex') });
  const handle = await client.workflow.signalWithStart(KINDS.host.workflow.type, {
    workflowId: hostWorkflowId(snapshot),
    taskQueue: TASK_QUEUE,
    args: [{ options: {} }],
    signal: observed,
    signalArgs: [{ snapshot, order: { epoch: 1, number: 1 } }],
  });
  await begun.promise;
  await handle.signal(observed, {
    snapshot: { ...snapshot, resourceVersion: '101', deletionTimestamp: '2026-01-01T00:00:00Z' },
    order: { epoch: 1, number: 2 },
  });
  await handle.result();
  expect(shown.map((view) => view.shown.state)).toContain('deleting');
  expect(shown.flatMap((view) => (view.shown.events ?? []).map(({ reason }) => reason))).toEqual([]);
  expect(shown.map((view) => view.shown.status?.['errorCount'])).toEqual(shown.map(() => 0));
});
