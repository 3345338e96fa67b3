import { createIronicActivities } from '../activities/ironic/activities.ts';
import { createIronicClient } from '../activities/ironic/client.ts';
import { createNodePoller } from '../activities/ironic/poller.ts';
import { DEFAULT_IRONIC_SETTINGS, type IronicSettings } from '../activities/ironic/settings.ts';
import { createKubernetesActivities } from '../activities/kubernetes/activities.ts';
import { createHostData } from '../activities/kubernetes/host-data.ts';
import { createSlotActivities } from '../activities/slots.ts';
import { type WorkersConfig, workersConfig } from '../platform/config.ts';
import { serveHealth } from '../platform/health.ts';
import { connectKube } from '../platform/kube.ts';
import { createLog } from '../platform/log.ts';
import { turnsOf } from '../platform/rate-limit.ts';
import { registerSearchAttributes } from '../platform/search-attributes.ts';
import { configOf } from '../platform/start.ts';
import { connectClient } from '../platform/temporal.ts';
import { logTemporal } from '../platform/temporal-log.ts';
import { keepWorker } from '../platform/worker.ts';
import { TASK_QUEUE, WAIT_TASK_QUEUE } from '../workflows/host/messages.ts';
import { askForSlot } from './ask-for-slot.ts';
import { cachedBundle } from './bundle.ts';

/** Hosts that wait for Ironic at the same time, in one process. */
const WAITING = 2_000;

const config = configOf(workersConfig);
const log = createLog('temper-workers', config);
logTemporal(log);
const stop = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());

const running = new Set<string>();
const missing = (): string[] =>
  [TASK_QUEUE, WAIT_TASK_QUEUE].filter((queue) => !running.has(queue)).map((queue) => `no worker on queue ${queue}`);
const health = await serveHealth(config.HEALTH_ADDR, missing);
const kube = connectKube(config.KUBECONFIG, turnsOf(config));
const ironic = await createIronicClient({
  endpoint: config.IRONIC_ENDPOINT ?? '',
  authRootDir: config.METAL3_AUTH_ROOT_DIR,
  caFile: config.IRONIC_CACERT_FILE,
  clientCertificateFile: config.IRONIC_CLIENT_CERT_FILE,
  clientKeyFile: config.IRONIC_CLIENT_PRIVATE_KEY_FILE,
  insecure: config.IRONIC_INSECURE,
  timeoutMs: config.IRONIC_CLIENT_TIMEOUT,
});
const poller = createNodePoller({
  listNodes: (signal) => ironic.listNodes(signal),
  intervalMs: config.IRONIC_POLL_INTERVAL,
  log,
});
const settings = settingsOf(config);
const ironicActivities = createIronicActivities({
  ironic,
  poller,
  hostData: createHostData(kube),
  settings,
  log,
});

try {
  const where = { address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE };
  const client = await connectClient(where, log, stop.signal);
  await registerSearchAttributes(client);
  const keep = (options: Parameters<typeof keepWorker>[0]['options']): Promise<void> => {
    const onRunning = (isRunning: boolean): void => {
      if (isRunning) running.add(options.taskQueue);
      else running.delete(options.taskQueue);
    };
    return keepWorker({ ...where, log, options, onRunning }, stop.signal);
  };
  const { waitForNode, ...shortActivities } = ironicActivities;
  await Promise.all([
    keep({
      taskQueue: TASK_QUEUE,
      workflowBundle: await cachedBundle(),
      activities: {
        ...shortActivities,
        ...createKubernetesActivities({ kube, defaultArchitecture: settings.defaultArchitecture }),
        ...createSlotActivities((request) => askForSlot(client, request)),
      },
      maxCachedWorkflows: 1_000,
    }),
    keep({ taskQueue: WAIT_TASK_QUEUE, activities: { waitForNode }, maxConcurrentActivityTaskExecutions: WAITING }),
  ]);
  await client.connection.close();
  log.info('stopped');
} catch (error) {
  if (!stop.signal.aborted) {
    log.fatal({ err: error }, 'workers failed');
    process.exitCode = 1;
  }
} finally {
  poller.close();
  await Promise.all([health.close(), kube.close(), ironic.close()]);
}

function settingsOf(from: WorkersConfig): IronicSettings {
  const { DEPLOY_ISO_URL: iso, DEPLOY_KERNEL_URL: kernel, DEPLOY_RAMDISK_URL: ramdisk } = from;
  return {
    ...DEFAULT_IRONIC_SETTINGS,
    deployImages: {
      ...(iso !== undefined && { iso }),
      ...(kernel !== undefined && { kernel }),
      ...(ramdisk !== undefined && { ramdisk }),
    },
    provisioningNetworkDisabled: from.PROVISIONING_NETWORK_DISABLED,
    forcePersistentBootDevice: {
      disk: from.DIRECT_DEPLOY_FORCE_PERSISTENT_BOOT_DEVICE,
      liveIso: from.LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE,
    },
    allowFakeHardware: from.TEMPER_LAB,
  };
}
