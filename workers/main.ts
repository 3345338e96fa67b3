import type { IronicActivities } from '../activities/ironic/activities.ts';
import { countingRequests } from '../activities/ironic/client/count-requests.ts';
import { currentCall } from '../activities/ironic/context.ts';
import { DEFAULT_IRONIC_SETTINGS } from '../activities/ironic/settings.ts';
import { createActivities } from '../activities/kinds.ts';
import { createWorkloadClusters } from '../activities/workload/clusters.ts';
import { readClusterUid } from '../kube/cluster-uid.ts';
import { type ConfiguredKube, connectConfiguredKube } from '../kube/configured.ts';
import { type WorkersConfig, workersConfig } from '../platform/config/config.ts';
import { cares } from '../platform/config/controllers.ts';
import { defaultDeployment } from '../platform/config/machine-api-settings.ts';
import type { Health } from '../platform/health/serve-health.ts';
import { METRICS_OF } from '../platform/metrics/definitions.ts';
import { measureKept } from '../platform/metrics/kept.ts';
import { createProbe, type Probe } from '../platform/probe.ts';
import { type Running, runProcess } from '../platform/process.ts';
import { openTemporalAccess } from '../platform/temporal/access/access.ts';
import { namespaceId } from '../platform/temporal/client.ts';
import { connectClient } from '../platform/temporal/clients.ts';
import { whileNamespaceIsOurs } from '../platform/temporal/cluster-identity.ts';
import { createSignalFailing } from '../platform/temporal/failing-requests.ts';
import { createHistoryMark } from '../platform/temporal/history-mark.ts';
import { measureTemporal } from '../platform/temporal/measure-temporal.ts';
import { prepareListing } from '../platform/temporal/search-attributes.ts';
import { temporalCommand } from '../platform/temporal/temporal-command.ts';
import { createVersionWatch, type VersionWatch } from '../platform/temporal/versions/watch.ts';
import { versionOf, versionOptions } from '../platform/temporal/versions/worker-version.ts';
import { keepWorker } from '../platform/temporal/worker.ts';
import {
  IRONIC_TASK_QUEUE,
  MESSAGE_TASK_QUEUE,
  NODE_TASK_QUEUE,
  TASK_QUEUE,
  WAIT_TASK_QUEUE,
} from '../workflows/messages.ts';
import { buildIdOf, cachedBundle, configuredBundle } from './bundle.ts';
import { openProvisioner } from './provisioner.ts';

/** The longest time that Temporal takes to answer a probe. */
const TEMPORAL_ANSWERS_MS = 2_500;

const running = new Set<string>();
/** Probes of the servers that the workers call: Temporal, and Ironic unless the fixture replaces it. */
const probes: Probe[] = [];
/** What keeps the workers from tasks that need Ironic. */
let withoutIronic = (): readonly string[] => [];
/** Why the Temporal namespace is not used; '' when it is used. */
let unusable = '';
/** Undefined where workers have no versions. */
let versionWatch: VersionWatch | undefined;

/** Only hosts, and the machines on them, need the other queues. */
const queuesOf = (config: WorkersConfig): readonly string[] =>
  cares(config, 'hosts')
    ? [TASK_QUEUE, IRONIC_TASK_QUEUE, WAIT_TASK_QUEUE, MESSAGE_TASK_QUEUE, NODE_TASK_QUEUE]
    : [TASK_QUEUE];

/** A process that can't reach Ironic leaves these to others. */
const NEED_IRONIC: readonly string[] = [IRONIC_TASK_QUEUE, WAIT_TASK_QUEUE];

/**
 * How long the task of a run waits for the worker that has the run in its memory, before another worker may replay it.
 * Of 500 hosts at once, nearly every host had such a replay with the SDK's ten seconds. Temporal itself gives up a
 * worker that has not polled for ten seconds.
 */
const STICKY_FOR = '30 seconds';

/**
 * What keeps the workers from being ready. Temporal is asked too, because a worker stays on its queue when Temporal
 * ends.
 */
const health = async (config: WorkersConfig): Promise<Health> => ({
  missing: [
    ...(unusable === '' ? [] : [unusable]),
    ...queuesOf(config)
      .filter((queue) => !running.has(queue))
      .map((queue) => `no worker on queue ${queue}`),
    ...withoutIronic(),
    ...(versionWatch?.lines ?? []),
    ...(await Promise.all(probes.map((probe) => probe()))).flat(),
  ],
  warnings: [],
});

async function run(started: Running<WorkersConfig, ConfiguredKube>): Promise<void> {
  const { config, log, metrics, tracing, onRead, signal, closeAtEnd } = started;
  const { kube, urgent } = started.api;
  const clusters = closeAtEnd(createWorkloadClusters(kube, config));
  const around = { kube, urgent, log, count: metrics.record, onAnswer: countingRequests(metrics.record) };
  const provisioner = cares(config, 'hosts') ? closeAtEnd(await openProvisioner(config, around)) : undefined;
  if (provisioner !== undefined) {
    probes.push(createProbe('Ironic', (aborted) => provisioner.answers(aborted)));
    withoutIronic = () => provisioner.missing();
    metrics.onRead('ironic-queue', () => provisioner.measure());
  }
  const temporal = closeAtEnd(await openTemporalAccess(config, log, onRead, tracing));
  const { answers: onAnswer } = measureTemporal(metrics, temporal.address);
  const client = await connectClient(temporal, log, signal);
  probes.push(createProbe(`Temporal at ${temporal.address}`, () => namespaceId(client, TEMPORAL_ANSWERS_MS)));
  const signalFailing = createSignalFailing(client, log);
  const mark = createHistoryMark(client, Date.now);
  const keep = (options: Parameters<typeof keepWorker>[0]['options'], unlessAborted: AbortSignal): Promise<void> => {
    const onRunning = (isRunning: boolean): void => {
      if (isRunning) running.add(options.taskQueue);
      else running.delete(options.taskQueue);
    };
    const versioned = { ...options, ...versionOptions(version) };
    const needsIronic = NEED_IRONIC.includes(options.taskQueue);
    const gate = needsIronic ? provisioner?.gate : undefined;
    const more = { ...(gate && { gate }), ...(needsIronic && { failsAttempts: true as const }) };
    return keepWorker({ temporal, log, options: versioned, signalFailing, mark, onRunning, ...more }, unlessAborted);
  };
  const { waitForNode, busyNodes, ...ironicRequests }: Partial<IronicActivities> =
    provisioner?.activities(signalFailing) ?? {};
  const activities = createActivities({
    kube,
    client,
    clusters,
    currentCall,
    defaultArchitecture: DEFAULT_IRONIC_SETTINGS.defaultArchitecture,
    machineDefaults: defaultDeployment(config),
    namesClaimsAfterHosts: config.ENABLE_BMH_NAME_BASED_PREALLOCATION,
    temporalCommand: temporalCommand(config),
  });
  measureKept(metrics, { ...provisioner?.kept, ...activities.kept });
  const bundle = await cachedBundle();
  const buildId = buildIdOf(bundle);
  const version = versionOf(config, buildId);
  log.info({ buildId, ...(version && { version }) }, 'workflow code');
  const workflowBundle = configuredBundle(bundle, {
    encodesFailures: temporal.dataConverter !== undefined,
    hasVersions: version !== undefined,
    temporalCommand: temporalCommand(config),
  });
  const watch = version && createVersionWatch({ client, version, taskQueue: TASK_QUEUE, log });
  versionWatch = watch;
  const work = async (aborted: AbortSignal): Promise<void> => {
    // The bridge reports a refusal. Registering here as well only makes its start faster.
    await prepareListing(client).catch((error: unknown) =>
      log.warn({ err: error }, 'the search attribute could not be registered'),
    );
    const working = { shutdownGraceTime: config.SHUTDOWN_GRACE_TIME };
    const waiting = { maxConcurrentActivityTaskExecutions: config.MAX_CONCURRENT_WAITS };
    const tasks = {
      taskQueue: TASK_QUEUE,
      workflowBundle,
      activities: activities.requests,
      maxCachedWorkflows: 1_000,
      stickyQueueScheduleToStartTimeout: STICKY_FOR,
      ...working,
    };
    const ironic = { taskQueue: IRONIC_TASK_QUEUE, activities: ironicRequests, ...working };
    const waits = { taskQueue: WAIT_TASK_QUEUE, activities: { waitForNode, busyNodes }, ...waiting };
    const messages = { taskQueue: MESSAGE_TASK_QUEUE, activities: activities.messages, ...waiting };
    const nodeWaits = { taskQueue: NODE_TASK_QUEUE, activities: activities.nodeWaits, ...waiting };
    const queues = queuesOf(config);
    const served = [tasks, ironic, waits, messages, nodeWaits].filter(({ taskQueue }) => queues.includes(taskQueue));
    const kept = served.map((options) => keep(options, aborted));
    await Promise.all([...kept, watch?.run(aborted)]);
  };
  const onMissing = (problem: string): void => void (unusable = problem);
  const namespace = { client, readUid: () => readClusterUid(kube), log, onMissing, onAnswer, mark };
  await whileNamespaceIsOurs(namespace, work, signal);
  await client.connection.close();
}

await runProcess({
  name: 'temper-workers',
  schema: workersConfig,
  metrics: METRICS_OF.workers,
  connect: connectConfiguredKube,
  health,
  run,
});
