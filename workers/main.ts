import { currentCall } from '../activities/ironic/context.ts';
import { DEFAULT_IRONIC_SETTINGS } from '../activities/ironic/settings.ts';
import { createKubernetesActivities } from '../activities/kubernetes/activities.ts';
import { createDataClaimTaskActivities } from '../activities/kubernetes/data/claims.ts';
import { createDataActivities } from '../activities/kubernetes/data/data.ts';
import { createAskForSlot, createSlotActivities } from '../activities/requests/ask-for-slot.ts';
import { createHostRequests } from '../activities/requests/request-host.ts';
import { createWorkloadClusters } from '../activities/workload/clusters.ts';
import { createWorkloadActivities } from '../activities/workload/nodes.ts';
import { type ConfiguredKube, connectConfiguredKube } from '../kube/configured.ts';
import { type WorkersConfig, workersConfig } from '../platform/config/config.ts';
import { METRICS_OF } from '../platform/metrics/definitions.ts';
import { type Running, runProcess } from '../platform/process.ts';
import { connectClient } from '../platform/temporal/clients.ts';
import { createSignalFailing } from '../platform/temporal/failing-requests.ts';
import { joinedActivities } from '../platform/temporal/joined-activities.ts';
import { registerSearchAttributes } from '../platform/temporal/search-attributes.ts';
import { keepWorker } from '../platform/temporal/worker.ts';
import { TASK_QUEUE, WAIT_TASK_QUEUE } from '../workflows/messages.ts';
import { cachedBundle } from './bundle.ts';
import { openProvisioner } from './provisioner.ts';

/**
 * How many hosts can wait for Ironic, and machines for their Nodes or for a host's answer, at the same time in one
 * process.
 */
const WAITING = 2_000;
/** Pause between two lists of the Nodes of one cluster. */
const NODE_POLL_MS = 5_000;

const running = new Set<string>();
const missing = (): string[] =>
  [TASK_QUEUE, WAIT_TASK_QUEUE].filter((queue) => !running.has(queue)).map((queue) => `no worker on queue ${queue}`);

async function run({
  config,
  log,
  metrics,
  api: { kube },
  signal,
  closeAtEnd,
}: Running<WorkersConfig, ConfiguredKube>): Promise<void> {
  const clusters = closeAtEnd(createWorkloadClusters(kube));
  const provisioner = closeAtEnd(await openProvisioner(config, { kube, log, count: metrics.record }));
  const where = { address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE };
  const client = await connectClient(where, log, signal);
  await registerSearchAttributes(client);
  const signalFailing = createSignalFailing(client, log);
  const keep = (options: Parameters<typeof keepWorker>[0]['options']): Promise<void> => {
    const onRunning = (isRunning: boolean): void => {
      if (isRunning) running.add(options.taskQueue);
      else running.delete(options.taskQueue);
    };
    return keepWorker({ ...where, log, options, signalFailing, onRunning }, signal);
  };
  const { waitForNode, ...shortActivities } = provisioner.activities;
  const { awaitNode, ...workloadActivities } = createWorkloadActivities({
    clusters,
    intervalMs: NODE_POLL_MS,
    currentCall,
  });
  await Promise.all([
    keep({
      taskQueue: TASK_QUEUE,
      workflowBundle: await cachedBundle(),
      activities: joinedActivities(
        shortActivities,
        createKubernetesActivities({ kube, defaultArchitecture: DEFAULT_IRONIC_SETTINGS.defaultArchitecture }),
        createDataClaimTaskActivities({ kube }),
        createDataActivities({ kube, namesClaimsAfterHosts: config.ENABLE_BMH_NAME_BASED_PREALLOCATION }),
        createSlotActivities({ ask: createAskForSlot(client), currentCall }),
        workloadActivities,
      ),
      maxCachedWorkflows: 1_000,
    }),
    keep({
      taskQueue: WAIT_TASK_QUEUE,
      activities: joinedActivities({ waitForNode, awaitNode }, createHostRequests(client, kube)),
      maxConcurrentActivityTaskExecutions: WAITING,
    }),
  ]);
  await client.connection.close();
}

await runProcess({
  name: 'temper-workers',
  schema: workersConfig,
  metrics: METRICS_OF.workers,
  connect: connectConfiguredKube,
  missing,
  run,
});
