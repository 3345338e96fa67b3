import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { DiscoveredNodes } from '../activities/ironic/discovery/discovered-nodes.ts';
import type { WorkloadProxies } from '../activities/workload/clusters.ts';
import { ENTITY_KINDS } from '../api/kinds.ts';
import type { DiscoverySettings } from '../domain/discovery/settings.ts';
import type { NodeStateJson } from '../domain/ironic/node/node-json.ts';
import { OPERATORS } from '../domain/other-operators/operators.ts';
import type { AgentUrls } from '../domain/preprovisioning/urls.ts';
import type { Kube } from '../kube/client.ts';
import { KINDS } from '../kube/kinds.ts';
import { createStore, type Entry } from '../kube/store.ts';
import { type BridgeConfig, concurrencyOf, homeNamespace, watchedNamespaces } from '../platform/config/config.ts';
import { cares } from '../platform/config/controllers.ts';
import type { Log } from '../platform/log.ts';
import { measureKept } from '../platform/metrics/kept.ts';
import type { Metrics } from '../platform/metrics/registry.ts';
import type { TemporalAccess } from '../platform/temporal/access/access.ts';
import { createSignalFailing } from '../platform/temporal/failing-requests.ts';
import type { HistoryMark } from '../platform/temporal/history-mark.ts';
import { joinedActivities } from '../platform/temporal/joined-activities.ts';
import { temporalCommand } from '../platform/temporal/temporal-command.ts';
import { keepWorker } from '../platform/temporal/worker.ts';
import { BRIDGE_TASK_QUEUE } from '../workflows/messages.ts';
import { aborted } from './aborted.ts';
import { createMissingPools } from './addresses/missing-pools.ts';
import { createBesideOthers } from './beside/beside.ts';
import { leavingAlone } from './beside/leaving-alone.ts';
import { hostWritten } from './bindings/baremetalhost/complete.ts';
import { measureHosts } from './bindings/baremetalhost/measure-hosts.ts';
import { createHostTally } from './bindings/baremetalhost/tally.ts';
import type { Choosing } from './bindings/choosing.ts';
import { mayClaim } from './bindings/machine.ts';
import { choosingMachines } from './bindings/machine-api/kinds.ts';
import { createChooseHost } from './choose-host/choose-host.ts';
import { createCore } from './core.ts';
import { createDiscover } from './discovery/discover.ts';
import { createImages } from './images/images.ts';
import { type BindingsAround, bindingsIn } from './kinds.ts';
import type { Restores } from './lease/renewals.ts';
import { createRestore, untilRestored } from './lease/restore.ts';
import { createLedger } from './ledger.ts';
import { createLockActivities } from './lock/hosts-for-locks.ts';
import { namingObjects } from './log-fields.ts';
import { createReleaseSecrets } from './secrets/release-secrets.ts';
import { createRunOptions } from './signal/run-options.ts';
import { createSteering } from './steering/steering.ts';
import { sweepEvery } from './sweeps/every.ts';
import { createNodeSweep, type ListedNodes, lookAtNodes } from './sweeps/ironic-nodes.ts';
import { createLabels } from './sweeps/labels.ts';
import { createUsualTimes } from './usual-times/usual-times.ts';
import { ownObjects } from './watch/own-objects.ts';
import { createQueues } from './watch/queues.ts';
import { watchTemporal } from './watch/temporal.ts';

export interface BridgeDeps {
  readonly kube: Kube;
  readonly temporal: TemporalAccess;
  readonly client: Client;
  /** Absent: nothing notices that Temporal's database was put back. */
  readonly mark?: Pick<HistoryMark, 'interceptor'>;
  readonly config: BindingsAround['config'] &
    WorkloadProxies &
    Pick<
      BridgeConfig,
      | 'WATCH_NAMESPACE'
      | 'POD_NAMESPACE'
      | 'TEMPER_HISTORY_LIMIT'
      | 'TEMPORAL_COMMAND'
      | 'CONTROLLER_CONCURRENCY'
      | 'BMO_CONCURRENCY'
      | 'WATCH_FILTER'
      | 'LABEL_SWEEP_INTERVAL'
    >;
  /** Reports restores of etcd that versions of objects do not show. */
  readonly restores?: Restores;
  /** The bridge before this one has ended because of a restore of etcd. */
  readonly isAfterRestore?: boolean;
  /** The operator's images of the deploy agent; without any, another controller builds them. */
  readonly agentUrls: AgentUrls;
  /** Lists all Ironic nodes, to find changes; absent: they are not listed. */
  readonly nodes?: {
    readonly listNodes: (signal: AbortSignal) => Promise<readonly NodeStateJson[]>;
    readonly intervalMs: number;
    /** Creates hosts for machines that Ironic enrolls by itself; absent: no hosts are created. */
    readonly discovery?: { readonly settings: DiscoverySettings; readonly nodes: DiscoveredNodes };
  };
  /** Interval (ms) of the sweeps for closed runs and for failing workflow tasks. */
  readonly sweepMs?: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Bridge {
  /** What is missing for /readyz; empty when the bridge works. */
  readonly missing: readonly string[];
  /** What does not keep the bridge from working, for /readyz. */
  readonly warnings: readonly string[];
  /** Works until aborted, or until etcd is restored. */
  run(signal: AbortSignal): Promise<void>;
}

/** Views written at the same time. */
const PUBLISHING = 50;
const STOP_MS = 2_000;
/** Interval at which missing search attributes are looked for again: somebody may have created them. */
const LISTING_MS = 60_000;
/** Interval at which the Leases of other operators are looked at. */
const BESIDE_MS = 10_000;
/** The same for each watched namespace: its Leases are listed one by one. */
const BESIDE_IN_ONE_MS = 1_000;
/** How long the start waits for a Temporal that does not answer. */
const PREPARE_MS = 3_000;

/**
 * Builds the bridge: signals objects to workflows and writes views to objects. All its memory can be rebuilt.
 * `reconcile.ts` reconciles one object; here the parts are created, each from earlier ones.
 */
export function createBridge(deps: BridgeDeps): Bridge {
  const { temporal: access, client, mark, config, agentUrls: urls, metrics, nodes, sweepMs } = deps;
  const now = Date.now;
  const restore = createRestore(deps.restores, deps.isAfterRestore);
  const store = createStore();
  const ledger = createLedger();
  const log = namingObjects(deps.log, { stores: store, ledger });
  const namespaces = watchedNamespaces(config);
  const operators = OPERATORS.filter(({ part }) => cares(config, part));
  const { record } = metrics;
  const beside = createBesideOthers({ kube: deps.kube, store, operators, namespaces, log, record, now });
  const kube = leavingAlone(untilRestored(deps.kube, restore), beside.why);
  /** Each part takes what it needs. */
  const around = { kube, client, store, stores: store, ledger, log, metrics, record, now };
  const usualTimes = createUsualTimes({ ...around, namespace: homeNamespace(config) });
  const tally = createHostTally(metrics);
  const kinds = ENTITY_KINDS.map(({ kind }) => kind);
  const queues = createQueues({ ...around, kinds, concurrency: concurrencyOf(config, availableParallelism()) });

  // The parts that are not kinds with workflows.
  const images = createImages({ ...around, urls, areBuilt: config.BUILD_PREPROV_IMAGE });
  const machines = ownObjects({ followed: KINDS.metal3Machine }, store, config.WATCH_FILTER);
  const lookAtMachine = (key: string): void => queues.look(KINDS.metal3Machine.kind, key);
  const choosing: Choosing[] = [{ followed: KINDS.metal3Machine, machines, mayClaim, look: lookAtMachine }];
  if (config.MACHINE_API !== 'off') choosing.push(...choosingMachines(store, queues.look));
  const choice = createChooseHost({ ...around, choosing });
  const labels = createLabels({ ...around, proxies: config, machines, look: lookAtMachine });

  const steering = createSteering(around);
  const bindings = bindingsIn({
    ...around,
    config,
    lookLater: (kind, key, inMs) => queues.of(kind).addLater(key, inMs),
    tally: usualTimes.measuring(tally),
    steering,
    newsOf: choice.newsOf,
    driftOf: labels.driftOf,
  });
  const runOptions = createRunOptions({ ...around, historyLimit: config.TEMPER_HISTORY_LIMIT });
  const agentNetworkOf = (uid: string) => hostWritten(ledger.find(uid)?.written)?.agentNetwork;
  const secrets = cares(config, 'hosts') ? createReleaseSecrets({ ...around, agentNetworkOf }) : undefined;
  const core = createCore({
    ...around,
    temporalCommand: temporalCommand({
      TEMPORAL_COMMAND: config.TEMPORAL_COMMAND,
      TEMPORAL_ADDRESS: access.address,
      TEMPORAL_NAMESPACE: access.namespace,
    }),
    queues,
    bindings,
    namespaces,
    watchFilter: config.WATCH_FILTER,
    options: runOptions.current,
    onWritten(kind, key) {
      if (kind !== KINDS.host.kind) return;
      images.hostWritten(key);
      secrets?.hostWritten(key);
    },
    restore,
    beside,
    outage: () => temporal.problem,
    ...(sweepMs !== undefined && { sweepMs }),
  });

  const { announce } = core;
  const missingPools = cares(config, 'addresses')
    ? createMissingPools({ ...around, announce, watchFilter: config.WATCH_FILTER })
    : undefined;
  void core.controllers.get(KINDS.ipPool.kind)?.ready.then(() => missingPools?.serve());

  const discovery = nodes?.discovery && createDiscover({ ...around, ...nodes.discovery, announce });

  measureHosts(metrics, store, now);
  measureKept(metrics, {
    ...core.kept,
    ...(discovery && { discovery: () => discovery.size }),
    ...(secrets && { left_secrets: () => secrets.size }),
    ...(missingPools && { missing_pools: () => missingPools.size }),
    ...images.kept,
    ...choice.kept,
    ...labels.kept,
    ...tally.kept,
    busy_hosts: () => usualTimes.size,
    measured_hosts: () => metrics.measuredCount,
  });

  const prepareTemporal = (): Promise<void> =>
    runOptions
      .prepare()
      .catch((error: unknown) => log.warn({ err: error }, 'Temporal could not be asked for its search attributes'));
  const temporal = watchTemporal({ client, access, log }, (isAnother) => {
    // A Temporal that lost its database has lost the search attributes too.
    void prepareTemporal().then(() => core.temporalIsBack(isAnother));
  });
  let ready = false;
  let working = false;

  const sweepNodes = async (signal: AbortSignal): Promise<void> => {
    if (nodes === undefined) return;
    const { listNodes, intervalMs } = nodes;
    const hosts = ownObjects({ followed: KINDS.host, ignoresWatchFilter: true }, store, '');
    const revive = (key: string): Promise<void> => core.revive(KINDS.host.kind, key);
    const isLeftAlone = ({ namespace }: Entry): boolean => beside.why(KINDS.host, namespace) !== undefined;
    const compare = createNodeSweep({ ...around, hosts, isLeftAlone, revive });
    const looks = [
      compare,
      ...(discovery ? [({ all }: ListedNodes, until: AbortSignal) => discovery.look(all, until)] : []),
    ];
    await sweepEvery({ name: 'Ironic nodes', intervalMs, look: lookAtNodes(listNodes, looks, now) }, log, signal);
  };

  const work = async (signal: AbortSignal): Promise<void> => {
    await Promise.race([core.synced, aborted(signal)]);
    if (signal.aborted) return;
    ready = true;
    tally.listed((key) => store.get(KINDS.host, key) !== undefined);
    log.info({ hosts: [...store.values(KINDS.host)].length }, 'watching');
    images.serve();
    secrets?.serve();
    const locks = createLockActivities(store);
    const options = {
      taskQueue: BRIDGE_TASK_QUEUE,
      activities: joinedActivities(core.activities, choice.activities, steering.activities, locks),
      maxConcurrentActivityTaskExecutions: PUBLISHING,
    };
    const signalFailing = createSignalFailing(client, log);
    const onRunning = (isRunning: boolean): void => void (working = isRunning);
    const kept = { temporal: access, log, options, signalFailing, ...(mark && { mark }), onRunning };
    const besideMs = Math.max(BESIDE_MS, namespaces.length * BESIDE_IN_ONE_MS);
    await Promise.all([
      temporal.run(signal),
      sweepNodes(signal),
      usualTimes.run(core, sweepMs, signal),
      sweepEvery({ name: 'other operators', intervalMs: sweepMs ?? besideMs, look: beside.look }, log, signal),
      sweepEvery({ name: 'search attributes', intervalMs: LISTING_MS, look: runOptions.prepareIfOff }, log, signal),
      sweepEvery({ name: 'labels of Nodes', intervalMs: config.LABEL_SWEEP_INTERVAL, look: labels.sweep }, log, signal),
      keepWorker(kept, signal),
    ]);
  };

  return {
    get missing() {
      return [
        ...(ready ? [] : ['the BareMetalHosts are not listed yet']),
        ...(core.following ? [] : ['the watches of the API server are interrupted']),
        ...(temporal.problem === undefined ? [] : [temporal.problem]),
        ...(working ? [] : ['the Temporal worker that publishes views does not run']),
      ];
    },
    get warnings() {
      return beside.warnings;
    },
    async run(signal) {
      const ending = AbortSignal.any([signal, restore.noticed]);
      await Promise.race([prepareTemporal(), sleep(PREPARE_MS, undefined, { ref: false })]);
      await Promise.all([core.run(ending), work(ending)]);
      if (restore.noticed.aborted) log.warn('etcd was restored from a backup: the bridge begins anew');
      choice.stop();
      tally.stop();
      await labels.close();
      // Work that is interrupted here is repeated after the next start.
      const stopped = Promise.all([core.stop(), images.stop(), secrets?.stop(), missingPools?.stop()]);
      await Promise.race([stopped, sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}

/**
 * Runs one bridge after the other, until aborted. A bridge ends when etcd was restored from a backup; the next one
 * begins as after a start, and writes nothing before all kinds are listed and the runs have snapshots of their objects.
 */
export async function runBridges(create: (isAfterRestore: boolean) => Bridge, signal: AbortSignal): Promise<void> {
  for (let isAfterRestore = false; !signal.aborted; isAfterRestore = true) await create(isAfterRestore).run(signal);
}
