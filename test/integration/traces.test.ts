import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createIronicClient, type IronicClient } from '../../activities/ironic/client/client.ts';
import { currentCall } from '../../activities/ironic/context.ts';
import { createLockMessages, createPlaceActivities } from '../../activities/requests/places.ts';
import { KINDS } from '../../api/kinds.ts';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { connectClient } from '../../platform/temporal/clients.ts';
import { keepWorker } from '../../platform/temporal/worker.ts';
import { openTracing, type Tracing } from '../../platform/tracing/tracing.ts';
import { cachedBundle } from '../../workers/bundle.ts';
import {
  BRIDGE_TASK_QUEUE,
  hostWorkflowId,
  IRONIC_TASK_QUEUE,
  observed,
  TASK_QUEUE,
  WAIT_TASK_QUEUE,
} from '../../workflows/messages.ts';
import { attributesOf, type CollectedSpan, type Collector, startCollector } from '../builders/collector.ts';
import { aNode, aSnapshot } from '../builders/host.ts';
import { plainAccess } from '../builders/plain-access.ts';
import { aNodeAnswer, type ScriptedIronic, scriptIronic } from '../builders/scripted-ironic.ts';
import { openScene, type Scene } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';

/** The real bridge and the real workflow of hosts; activities send their requests to an Ironic that is scripted. */
const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
const where = sharedControlPlane();
const plain = plainAccess(where.temporalAddress, where.temporalNamespace);
const stopping = new AbortController();
const NODE = '11111111-1111-4111-8111-111111111111';

let collector: Collector;
let script: ScriptedIronic;
let ironic: IronicClient;
let tracing: Tracing;
let scene: Scene;
let working: Promise<unknown>;

const activities = {
  async registerNode() {
    await ironic.getNode(NODE);
    return { kind: 'registered', node: aNode(), verifying: false, created: true, credentialsVersion: '90' };
  },
  async startInspection() {
    await ironic.getNode(NODE);
    return { kind: 'done', node: aNode() };
  },
  busyNodes: () => ({ nodeIds: [] }),
  saveInventory: () => ({ architecture: 'x86_64' }),
  setPower: () => ({ kind: 'done', node: aNode() }),
  releaseHost: () => undefined,
  deleteNode: () => ({ kind: 'lost' }),
};

beforeAll(async () => {
  collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.endpoint);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '100');
  tracing = await openTracing(readConfig(bridgeConfig, process.env), 'temper-test', log);
  script = await scriptIronic({ status: 200, body: aNodeAnswer() });
  ironic = await createIronicClient({ endpoint: script.endpoint, pausesMs: [] });
  scene = await openScene({ ...where, tracing });
  const common = {
    temporal: { ...plain, tracing },
    log,
    signalFailing: async () => undefined,
    onRunning: () => undefined,
  };
  const workflowBundle = await cachedBundle();
  const places = createPlaceActivities({ messages: createLockMessages(scene.client), currentCall });
  const short = { ...activities, ...places };
  working = Promise.all([
    keepWorker({ ...common, options: { taskQueue: TASK_QUEUE, workflowBundle, activities: short } }, stopping.signal),
    ...[IRONIC_TASK_QUEUE, WAIT_TASK_QUEUE].map((taskQueue) =>
      keepWorker({ ...common, options: { taskQueue, activities } }, stopping.signal),
    ),
  ]);
});
afterAll(async () => {
  await scene?.end();
  stopping.abort();
  await working;
  await Promise.all([ironic?.close(), script?.close(), tracing?.close()]);
  await collector?.close();
  vi.unstubAllEnvs();
});

const pathOf = (span: CollectedSpan): readonly string[] => collector.pathOf(span);
const requestsUnder = (activity: string, method: string): readonly CollectedSpan[] =>
  collector.spans.filter((span) => span.name === method && pathOf(span).at(-2) === `RunActivity:${activity}`);

describe('with a collector', () => {
  test('one trace leads from the signal of the bridge to the request in Ironic, and back to the status', async () => {
    const bridge = scene.startBridge();
    await scene.createHost('traced');
    await expect.poll(async () => (await scene.host('traced'))?.status?.provisioning?.state).toBe('available');
    const change = ['SignalWithStartWorkflow:observed', 'HandleSignal:observed'];
    const inspection = ['RunWorkflow:inspectWorkflow', 'RunActivity:startInspection', 'GET'];
    const found = () => requestsUnder('startInspection', 'GET')[0];
    await expect.poll(() => found() && pathOf(found() as CollectedSpan)).toEqual([...change, ...inspection]);
    const request = found() as CollectedSpan;
    expect(attributesOf(request)).toMatchObject({
      'http.request.method': 'GET',
      'url.path': `/v1/nodes/${NODE}`,
      'http.response.status_code': 200,
      'http.response.header.x-openstack-request-id': { values: [{ stringValue: 'req-scripted' }] },
    });
    expect(script.headers.map(({ traceparent }) => traceparent)).toContain(
      `00-${request.traceId}-${request.spanId}-01`,
    );
    const isStatus = (span: CollectedSpan): boolean =>
      span.traceId === request.traceId &&
      attributesOf(span)['url.path']?.toString().endsWith('/traced/status') === true;
    await expect
      .poll(() => requestsUnder('publish', 'PATCH').filter(isStatus).map(pathOf))
      .toContainEqual([...change, 'RunActivity:publish', 'PATCH']);
    await bridge.stop();
  });

  test('no span has a query or a part of a request but its method and path', () => {
    expect(collector.spans).not.toEqual([]);
    const keys = new Set(collector.spans.flatMap((span) => Object.keys(attributesOf(span))));
    expect([...keys].filter((key) => key.startsWith('http.') || key.startsWith('url.')).toSorted()).toEqual([
      'http.request.method',
      'http.request.method_original',
      'http.response.header.x-openstack-request-id',
      'http.response.status_code',
      'url.full',
      'url.path',
      'url.query',
      'url.scheme',
    ]);
    expect(collector.spans.map((span) => attributesOf(span)['url.query'] ?? '')).not.toContainEqual(
      expect.stringMatching(/./),
    );
    expect(JSON.stringify(collector.exports)).not.toContain('command');
  });

  test('a run that nobody traces gets no headers and no spans, and one in which the header is forged goes on', async () => {
    const bridge = keepWorker(
      {
        temporal: { ...plain, tracing },
        log,
        signalFailing: async () => undefined,
        onRunning: () => undefined,
        options: { taskQueue: BRIDGE_TASK_QUEUE, activities: { publish: () => ({ kind: 'published' }) } },
      },
      stopping.signal,
    );
    const client = await connectClient(plain, log);
    const snapshot = aSnapshot({ name: 'untraced' });
    const workflowId = hostWorkflowId(snapshot);
    const run = await client.workflow.signalWithStart(KINDS.host.workflow.type, {
      workflowId,
      taskQueue: TASK_QUEUE,
      args: [{ options: { unlisted: true } }],
      signal: observed,
      signalArgs: [{ snapshot, order: { epoch: 1, number: 1 } }],
    });
    for (const [encoding, data] of [
      ['json/plain', '{"traceparent":"00-nobody-knows-01"}'],
      ['json/plain', '{broken'],
      ['unheard/of', 'x'],
    ] as const) {
      await client.workflowService.signalWorkflowExecution({
        namespace: where.temporalNamespace,
        workflowExecution: { workflowId },
        signalName: 'vanished',
        header: {
          fields: { '_tracer-data': { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) } },
        },
      });
    }
    const scheduled = async () =>
      ((await run.fetchHistory()).events ?? []).flatMap(
        ({ activityTaskScheduledEventAttributes: activity }) => activity ?? [],
      );
    const names = async () => (await scheduled()).map(({ activityType }) => activityType?.name);
    await expect.poll(names).toContain('registerNode');
    const deleted = aSnapshot({ name: 'untraced', resourceVersion: '102', deletionTimestamp: '2026-01-01T00:00:00Z' });
    await run.signal(observed, { snapshot: deleted, order: { epoch: 1, number: 2 } });
    await run.result();
    expect((await scheduled()).flatMap(({ header }) => Object.keys(header?.fields ?? {}))).toEqual([]);
    expect(historyToJSON(await run.fetchHistory())).not.toContain('workflowTaskFailed');
    await tracing.close();
    expect(collector.spans.filter((span) => attributesOf(span)['temporalWorkflowId'] === workflowId)).toEqual([]);
    stopping.abort();
    await bridge;
    await client.connection.close();
  });
});
