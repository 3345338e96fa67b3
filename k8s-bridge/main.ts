import { hostname } from 'node:os';
import { openConfiguredIronic } from '../activities/ironic/client/configured-client.ts';
import { connectKube } from '../kube/client.ts';
import { createGate } from '../kube/gate.ts';
import { turnsOf } from '../kube/rate-limit.ts';
import { readAgentUrls } from '../platform/config/agent-urls.ts';
import { bridgeConfig, homeNamespace } from '../platform/config/config.ts';
import { configOf } from '../platform/config/config-of-process.ts';
import { serveHealth } from '../platform/health.ts';
import { createLog } from '../platform/log.ts';
import { countReadings } from '../platform/metrics/certificates.ts';
import { METRICS_OF } from '../platform/metrics/definitions.ts';
import { createMetrics } from '../platform/metrics/registry.ts';
import { serveMetrics } from '../platform/metrics/server.ts';
import { connectClient } from '../platform/temporal/clients.ts';
import { temporalMetrics } from '../platform/temporal/metrics.ts';
import { installTemporal } from '../platform/temporal/runtime.ts';
import { type Bridge, createBridge } from './bridge.ts';
import { runUnderLease } from './lease.ts';
import { startWebhooks, type Webhooks } from './webhooks/webhooks.ts';

/** That of baremetal-operator: of the two, one works at a time. */
const LEASE_NAME = 'baremetal-operator';

const config = configOf(bridgeConfig);
const log = createLog('temper-bridge', config);
const metrics = createMetrics(METRICS_OF.bridge);
const ofTemporal = await temporalMetrics();
installTemporal(log, ofTemporal);
const stop = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());

let bridge: Bridge | undefined;
let webhooks: Webhooks | undefined;
/** One that waits for the lease does all it has to do. */
const missing = (): readonly string[] => [
  ...(bridge?.missing ?? (config.ENABLE_LEADER_ELECTION ? [] : ['Temporal does not answer yet'])),
  ...(webhooks?.missing ?? (config.WEBHOOK_PORT === 0 ? [] : ['the webhooks are not served yet'])),
];
const health = await serveHealth(config.HEALTH_ADDR, missing);
const kube = connectKube(config.KUBECONFIG, turnsOf(config), (labels) =>
  metrics.record({ name: 'rest_client_requests_total', labels }),
);
const readMetrics = async (): Promise<string> => `${await metrics.read()}${await ofTemporal.read()}`;
const onRead = countReadings(metrics.record);
const metricsServer = await serveMetrics({ config, gate: createGate(kube), log, read: readMetrics, onRead });

/** Only to look at its nodes: to drive them is the workers' work. */
const ironic = config.PROVISIONER === 'fixture' ? undefined : await openConfiguredIronic(config, kube);

/** A bridge that has stopped is not used again: what it remembered may be out of date. */
async function lead(signal: AbortSignal): Promise<void> {
  const where = { address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE };
  const client = await connectClient(where, log, signal);
  try {
    const nodes = ironic && {
      listNodes: (unlessAborted: AbortSignal) => ironic.listNodes(unlessAborted),
      intervalMs: config.IRONIC_SWEEP_INTERVAL,
    };
    const agentUrls = readAgentUrls(process.env);
    bridge = createBridge({ kube, client, config, agentUrls, log, metrics, ...(nodes && { nodes }) });
    await bridge.run(signal);
  } finally {
    bridge = undefined;
    await client.connection.close();
  }
}

try {
  if (config.WEBHOOK_PORT !== 0) webhooks = await startWebhooks({ kube, config, log, record: metrics.record, onRead });
  if (config.ENABLE_LEADER_ELECTION) {
    const lease = {
      kube,
      log,
      namespace: homeNamespace(config),
      name: LEASE_NAME,
      identity: config.POD_NAME ?? `${hostname()}-${process.pid}`,
      durationSeconds: config.LEASE_DURATION_SECONDS,
      renewDeadlineSeconds: config.RENEW_DEADLINE_SECONDS,
      retrySeconds: config.RETRY_PERIOD_SECONDS,
      onHolding: (isHolder: boolean) =>
        metrics.record({
          name: 'leader_election_master_status',
          labels: { name: LEASE_NAME },
          value: isHolder ? 1 : 0,
        }),
    };
    await runUnderLease(lease, lead, stop.signal);
  } else await lead(stop.signal);
  log.info('stopped');
} catch (error) {
  if (!stop.signal.aborted) {
    log.fatal({ err: error }, 'bridge failed');
    process.exitCode = 1;
  }
} finally {
  await webhooks?.close();
  await Promise.all([health.close(), metricsServer.close(), kube.close(), ironic?.close()]);
}
