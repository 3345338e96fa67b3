import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode } from '@temporalio/worker';
import { execa } from 'execa';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIronicClient } from '../../activities/ironic/client/client.ts';
import { currentCall } from '../../activities/ironic/context.ts';
import { createNodePoller } from '../../activities/ironic/poll/poller.ts';
import { DEFAULT_IRONIC_SETTINGS as settings } from '../../activities/ironic/settings.ts';
import { waitForNode } from '../../activities/ironic/wait-for-node.ts';
import { NODE_FLAGS } from '../../platform/node-flags.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import { createTaskGate } from '../../platform/temporal/task-gate.ts';
import { keepWorker } from '../../platform/temporal/worker.ts';
import { TASK_QUEUE, WAIT_TASK_QUEUE } from '../../workflows/messages.ts';
import { plainAccess } from '../builders/plain-access.ts';
import { type Answer, aNodeAnswer, scriptIronic } from '../builders/scripted-ironic.ts';
import { sharedControlPlane } from './control-plane.ts';
import type { callWorkflow } from './queues/calling-workflow.ts';

/** Workers that wait for Ironic, kept as the processes keep theirs, each with its own way to an Ironic. */
const HOSTS = 10;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CREATED_ANEW = fileURLToPath(new URL('gated-workers/created-anew.ts', import.meta.url));
const { temporalAddress: address, temporalNamespace: namespace } = sharedControlPlane();
const ACTIVE: Answer = { status: 200, body: { nodes: [aNodeAnswer({ uuid: 'n', provision_state: 'active' })] } };
const log = pino({ level: 'silent' });
const stopping = new AbortController();
const common = { temporal: plainAccess(address, namespace), log, signalFailing: () => Promise.resolve() };
const working: Promise<unknown>[] = [];
let client: Client;

/** A worker with this Ironic; `minutes` is the time by its clock. */
async function aWorker(ironic: Awaited<ReturnType<typeof scriptIronic>>) {
  const http = await createIronicClient({ endpoint: ironic.endpoint, pausesMs: [] });
  const gate = createTaskGate();
  const worker = { minutes: 0, taken: 0, isRunning: false, waits: () => 0, end: () => ending.abort() };
  const poller = createNodePoller({
    listNodes: (signal) => http.listNodes(signal),
    intervalMs: 20,
    log,
    now: () => worker.minutes * 60_000,
    onAway: (isAway) => (isAway ? gate.close() : gate.open()),
  });
  const ending = new AbortController();
  const activities = {
    waitForNode() {
      worker.taken += 1;
      const tools = { poller, settings, tell: common.signalFailing, call: currentCall() };
      return waitForNode(tools, { host: { namespace: 'metal', name: 'h', uid: 'u' }, nodeId: 'n', until: 'rest' });
    },
  };
  const onRunning = (isRunning: boolean): void => void (worker.isRunning = isRunning);
  const kept = keepWorker(
    { ...common, gate, onRunning, options: { taskQueue: WAIT_TASK_QUEUE, activities } },
    AbortSignal.any([ending.signal, stopping.signal]),
  );
  const closed = kept.then(async () => {
    poller.close();
    await http.close();
    await ironic.close();
  });
  working.push(closed);
  return Object.assign(worker, { waits: poller.kept['node_waits'] ?? (() => 0) });
}

const waitForHosts = () =>
  Promise.all(
    Array.from({ length: HOSTS }, () =>
      client.workflow.start<typeof callWorkflow>('callWorkflow', {
        taskQueue: TASK_QUEUE,
        workflowId: `wait-${randomBytes(4).toString('hex')}`,
        args: ['waitForNode'],
      }),
    ),
  );

beforeAll(async () => {
  client = new Client({ connection: await connectTemporal({ address }), namespace });
  const workflowsPath = fileURLToPath(new URL('./queues/calling-workflow.ts', import.meta.url));
  const options = { taskQueue: TASK_QUEUE, workflowBundle: await bundleWorkflowCode({ workflowsPath }) };
  working.push(keepWorker({ ...common, options, onRunning: () => undefined }, stopping.signal));
});
afterAll(async () => {
  stopping.abort();
  await Promise.all(working);
  await client.connection.close();
});

test('a worker that can not reach Ironic hands its waits to others, takes no more, and takes some again with its next list', async () => {
  let isReached = false;
  const lost = await scriptIronic(() => (isReached ? ACTIVE : 'cut'));
  const cutOff = await aWorker(lost);
  const waits = await waitForHosts();
  await expect.poll(cutOff.waits).toBe(HOSTS);
  const other = await aWorker(await scriptIronic(ACTIVE));
  await expect.poll(() => other.isRunning).toBe(true);

  cutOff.minutes = 10;
  await Promise.all(waits.map((wait) => wait.result()));
  await expect.poll(() => cutOff.isRunning).toBe(false);
  const { taken } = cutOff;
  await Promise.all((await waitForHosts()).map((wait) => wait.result()));
  expect([cutOff.taken, other.taken]).toEqual([taken, 2 * HOSTS]);

  isReached = true;
  await expect.poll(() => cutOff.isRunning).toBe(true);
  other.end();
  await expect.poll(() => other.isRunning).toBe(false);
  await Promise.all((await waitForHosts()).map((wait) => wait.result()));
  expect(cutOff.taken).toBe(taken + HOSTS);
});

test('a worker that is created anew again and again takes no more memory', async () => {
  const { stdout } = await execa(process.execPath, [...NODE_FLAGS.workers, CREATED_ANEW, address, namespace, '50'], {
    cwd: ROOT,
  });
  const [before = 0, after = 0] = stdout.split(' ').map(Number);
  expect(before).toBeGreaterThan(0);
  // Two megabytes for each of the 50 is what Temporal's SDK keeps of workers with workflows.
  expect(after - before).toBeLessThan(50);
});
