import { hostname } from 'node:os';
import { openConfiguredIronic } from '../activities/ironic/client/configured-client.ts';
import { countingRequests } from '../activities/ironic/client/count-requests.ts';
import { createDiscoveredNodes } from '../activities/ironic/discovery/discovered-nodes.ts';
import { LEASES } from '../domain/other-operators/running.ts';
import { readClusterUid } from '../kube/cluster-uid.ts';
import { type ConfiguredKube, connectConfiguredKube } from '../kube/configured.ts';
import { readAgentUrls } from '../platform/config/agent-urls.ts';
import { type BridgeConfig, bridgeConfig, homeNamespace, watchedNamespaces } from '../platform/config/config.ts';
import { cares } from '../platform/config/controllers.ts';
import { discoveryOf } from '../platform/config/discovery-settings.ts';
import type { Health } from '../platform/health/serve-health.ts';
import { METRICS_OF } from '../platform/metrics/definitions.ts';
import { type Running, runProcess } from '../platform/process.ts';
import { openTemporalAccess } from '../platform/temporal/access/access.ts';
import { connectClient } from '../platform/temporal/clients.ts';
import { whileNamespaceIsOurs } from '../platform/temporal/cluster-identity.ts';
import { createHistoryMark } from '../platform/temporal/history-mark.ts';
import { measureTemporal } from '../platform/temporal/measure-temporal.ts';
import { type Bridge, createBridge, runBridges } from './bridge.ts';
import { startCodecServer } from './codec/start-codec-server.ts';
import { runAlone } from './lease/alone.ts';
import type { Restores } from './lease/renewals.ts';
import { createReadiness, type Role } from './lease/role.ts';
import { runUnderLease } from './lease/under-lease.ts';
import { startWebhooks, type Webhooks } from './webhooks/webhooks.ts';

let bridge: Bridge | undefined;
let webhooks: Webhooks | undefined;
/** Why the leader does not use its Temporal namespace; '' when it does, or has not looked. */
let unusable = '';
const readiness = createReadiness();

/**
 * After Temporal's database was put back, the bridge asks each run what it knows. Workers that have not noticed it yet
 * would answer from their memory, so the bridge begins after two of their looks.
 */
const LATER_THAN_WORKERS = 2;

/** What keeps a leader from its work. */
function leaderLacks({ TEMPORAL_ADDRESS }: BridgeConfig): readonly string[] {
  if (unusable !== '') return [unusable];
  return bridge?.missing ?? [`Temporal at ${TEMPORAL_ADDRESS} does not answer yet`];
}

async function health(config: BridgeConfig): Promise<Health> {
  const { missing, warnings } = readiness.judge(leaderLacks(config));
  const unserved = config.WEBHOOK_PORT === 0 ? [] : ['the webhooks are not served yet'];
  return {
    missing: [...missing, ...(webhooks?.missing ?? unserved)],
    warnings: [...warnings, ...(bridge?.warnings ?? [])],
  };
}

async function run(running: Running<BridgeConfig, ConfiguredKube>): Promise<void> {
  const { config, log, metrics, tracing, onRead, signal, closeAtEnd } = running;
  const { kube, gates } = running.api;
  // Whether the bridge calls Ironic: it lists nodes, and removes nodes that Ironic has enrolled by itself. The workers
  // do everything else.
  const usesIronic = cares(config, 'hosts') && config.PROVISIONER !== 'fixture';
  const ironic = usesIronic
    ? await openConfiguredIronic(config, kube, { onAnswer: countingRequests(metrics.record) })
    : undefined;
  if (ironic !== undefined) closeAtEnd(ironic);
  const temporal = closeAtEnd(await openTemporalAccess(config, log, onRead, tracing));

  const discovery = discoveryOf(config, watchedNamespaces(config));
  if (discovery !== undefined && ironic === undefined)
    log.warn('DISCOVERY_ENABLED is without effect: the bridge knows no Ironic');

  const lead = async (unlessAborted: AbortSignal, restores: Restores): Promise<void> => {
    const { answers: onAnswer, forget } = measureTemporal(metrics, temporal.address);
    const onMissing = (missing: string): void => void (unusable = missing);
    const readUid = (): Promise<string> => readClusterUid(kube);
    try {
      const client = await connectClient(temporal, log, unlessAborted);
      const mark = createHistoryMark(client, Date.now);
      const nodes = ironic && {
        listNodes: (aborted: AbortSignal) => ironic.listNodesWithPower(aborted),
        intervalMs: config.IRONIC_SWEEP_INTERVAL,
        ...(discovery && { discovery: { settings: discovery, nodes: createDiscoveredNodes(ironic, Date.now) } }),
      };
      /** A bridge that has stopped is not used again: its memory may be outdated. */
      const work = async (aborted: AbortSignal): Promise<void> => {
        const agentUrls = readAgentUrls(process.env);
        const deps = { kube, temporal, client, mark, config, agentUrls, restores, log, metrics };
        const create = (isAfterRestore: boolean): Bridge =>
          (bridge = createBridge({ ...deps, isAfterRestore, ...(nodes && { nodes }) }));
        await runBridges(create, aborted).finally(() => (bridge = undefined));
      };
      const namespace = { client, readUid, log, onMissing, onAnswer, mark, restsFor: LATER_THAN_WORKERS };
      try {
        await whileNamespaceIsOurs(namespace, work, unlessAborted);
      } finally {
        await client.connection.close();
      }
    } finally {
      unusable = '';
      forget();
    }
  };

  const { dataConverter } = temporal;
  const codecServer = await startCodecServer({ config, dataConverter, gates, log, onRead });
  if (codecServer !== undefined) closeAtEnd(codecServer);
  if (config.WEBHOOK_PORT !== 0) {
    webhooks = closeAtEnd(await startWebhooks({ kube, config, log, record: metrics.record, onRead }));
  }
  const identity = config.POD_NAME ?? `${hostname()}-${process.pid}`;
  const lease = {
    kube,
    log,
    namespace: homeNamespace(config),
    identity,
    durationSeconds: config.LEASE_DURATION_SECONDS,
    retrySeconds: config.RETRY_PERIOD_SECONDS,
  };
  const becoming =
    (name: string) =>
    (role: Role): void => {
      readiness.become(role);
      metrics.record({
        name: 'leader_election_master_status',
        labels: { name },
        value: role === 'leader' ? 1 : 0,
      });
    };
  if (!config.ENABLE_LEADER_ELECTION) {
    becoming(LEASES.alone)('leader');
    return runAlone({ ...lease, name: LEASES.alone }, lead, signal);
  }
  const onRole = becoming(LEASES.elected);
  const renewDeadlineSeconds = config.RENEW_DEADLINE_SECONDS;
  return runUnderLease({ ...lease, name: LEASES.elected, renewDeadlineSeconds, onRole }, lead, signal);
}

await runProcess({
  name: 'temper-bridge',
  schema: bridgeConfig,
  metrics: METRICS_OF.bridge,
  connect: connectConfiguredKube,
  health,
  run,
});
