import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { type AgentUrls, formatsOf } from '../domain/preprovisioning/urls.ts';
import type { Kube } from '../kube/client.ts';
import { keyOf, nameOf } from '../kube/reflector.ts';
import { type BridgeConfig, concurrencyOf, watchedNamespaces } from '../platform/config/config.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics/registry.ts';
import { joinedActivities } from '../platform/temporal/joined-activities.ts';
import { registerSearchAttributes } from '../platform/temporal/search-attributes.ts';
import { keepWorker } from '../platform/temporal/worker.ts';
import {
  BRIDGE_TASK_QUEUE,
  HOST_WORKFLOW_TYPE,
  hostVanished,
  hostView,
  hostWorkflowId,
} from '../workflows/host/messages.ts';
import { createBuildImage } from './build-image.ts';
import { createKeepDataImage } from './data-images.ts';
import { BINDINGS } from './entities/bindings.ts';
import { createEntities } from './entities/entities.ts';
import { createLedger } from './ledger.ts';
import { createMachines } from './machines/machines.ts';
import { createHostTally } from './metrics/host-tally.ts';
import { watchQueue } from './metrics/watch-queue.ts';
import { createNudge } from './nudge.ts';
import { pace } from './pace.ts';
import { createBridgeActivities, createPublish, type Publish } from './publish.ts';
import { createQueue } from './queue.ts';
import { createRepair, hasDrifted, isPending } from './repair.ts';
import { settingsOf } from './settings.ts';
import { createTellStray, findStrays, type StrayKind } from './strays.ts';
import { type SweepDeps, sweepNodes } from './sweep.ts';
import { watchTemporal } from './temporal-watch.ts';
import { watchCluster } from './watch.ts';

export interface BridgeDeps {
  readonly kube: Kube;
  readonly client: Client;
  readonly config: Pick<
    BridgeConfig,
    | 'TEMPORAL_ADDRESS'
    | 'TEMPORAL_NAMESPACE'
    | 'WATCH_NAMESPACE'
    | 'TEMPER_HISTORY_LIMIT'
    | 'CONTROLLER_CONCURRENCY'
    | 'BMO_CONCURRENCY'
    | 'PROVISIONER'
    | 'MAX_PROVISIONING_RETRIES'
    | 'PROVISIONING_LIMIT'
    | 'BUILD_PREPROV_IMAGE'
    | 'PROVIDER_ID_FORMAT'
    | 'WATCH_FILTER'
    | 'LABEL_SWEEP_INTERVAL'
    | 'CAPM3_FAST_TRACK'
  >;
  /** The operator's images of the deploy agent; without any somebody else builds them. */
  readonly agentUrls: AgentUrls;
  /** How Ironic's nodes are looked through for changes; absent: they are not. */
  readonly nodes?: Pick<SweepDeps, 'listNodes' | 'intervalMs'>;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Bridge {
  /** What is not in order, in words; empty when all is well. */
  readonly missing: readonly string[];
  /** Carries changes both ways until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** Queries (they hold a workflow's worker) and publishes at a time, and the pace at which all hosts are told after a start. */
const ASKING = 20;
const PUBLISHING = 50;
const BUILDING = 4;
const HOSTS_PER_SECOND = 20;
/** The first change is told at once; those that follow within this time go together. */
const BETWEEN_SIGNALS_MS = 200;
const STOP_MS = 2_000;

/** CRs to workflows and views back to CRs. Holds nothing that it can't find out again. */
export function createBridge({ kube, client, config, agentUrls, log, metrics, nodes }: BridgeDeps): Bridge {
  const now = Date.now;
  const ledger = createLedger();
  const tally = createHostTally(metrics.record);
  /** Hosts being written to at this moment, and those of them that changed meanwhile: our own writing looks like drift until it is booked. */
  const writing = new Map<string, number>();
  const overlooked = new Set<string>();
  const publishNow = createPublish({ kube, ledger, log, tally, now });
  const publish: Publish = async (view, origin) => {
    const key = keyOf(view);
    writing.set(key, (writing.get(key) ?? 0) + 1);
    try {
      return await publishNow(view, origin);
    } finally {
      const left = (writing.get(key) ?? 1) - 1;
      if (left === 0) writing.delete(key);
      else writing.set(key, left);
      if (left === 0 && overlooked.delete(key)) tells.add(key);
      dataImages.add(key);
    }
  };
  /** Hosts whose status is to be compared with their workflow's view, whatever it looks like. */
  const unchecked = new Set<string>();
  let ready = false;
  let working = false;

  /** DataImages seen before it was known which hosts there are. */
  const unsynced = new Set<string>();

  const cluster = watchCluster({
    kube,
    namespaces: watchedNamespaces(config),
    followsImages: config.BUILD_PREPROV_IMAGE,
    onHost: (key) => {
      if (!ready) return;
      tells.add(key);
      dataImages.add(key);
    },
    onHostChanged: (after, before) => {
      entities.hostChanged(after, before);
      if (ready) machines.hostChanged(after, before);
    },
    onImage: (key) => builds && images.add(key),
    onDataImage: (key) => (ready ? dataImages.add(key) : unsynced.add(key)),
    onSecret: (key) => entities.secretChanged(key),
    onGone: (last) => nudge.vanished(last),
    onTrouble: (kind, error, retryInMs) =>
      log.warn({ kind, error: said(error), retryInMs }, 'lost sight of the API server'),
  });
  const historyLimit = config.TEMPER_HISTORY_LIMIT;
  const options = historyLimit === undefined ? {} : { historyLimit };
  const settings = settingsOf(config);
  const onUnreadable = (): void =>
    metrics.record({
      name: 'controller_runtime_terminal_reconcile_errors_total',
      labels: { controller: 'baremetalhost' },
    });
  const nudge = createNudge({ kube, client, cluster, ledger, options, settings, log, now, onUnreadable });

  const builds = config.BUILD_PREPROV_IMAGE && formatsOf(agentUrls).length > 0;
  const images = createQueue({
    concurrency: BUILDING,
    watcher: watchQueue(metrics, 'preprovisioningimage', BUILDING),
    work: createBuildImage({ kube, urls: agentUrls, now }),
    onFailure: (image, error, retryInMs) => log.info({ image, error: said(error), retryInMs }, 'image not filled in'),
  });

  const dataImages = createQueue({
    concurrency: BUILDING,
    work: createKeepDataImage({ kube, cluster, ledger }),
    onFailure: (image, error, retryInMs) => log.info({ image, error: said(error), retryInMs }, 'DataImage not kept'),
  });

  const repairs = createQueue({
    concurrency: ASKING,
    watcher: watchQueue(metrics, 'baremetalhost-repair', ASKING),
    work: createRepair({ client, cluster, publish, now }),
    onFailure: (host, error, retryInMs) =>
      log.info({ host, error: said(error), retryInMs }, 'workflow did not tell what to show'),
  });
  const telling = concurrencyOf(config, availableParallelism());
  const tells = createQueue({
    concurrency: telling,
    watcher: watchQueue(metrics, 'baremetalhost', telling),
    async work(key) {
      if (cluster.host(key) !== undefined) tally.looked(nameOf(key));
      const restMs = (await nudge.tell(key)) ? BETWEEN_SIGNALS_MS : undefined;
      const entry = cluster.host(key);
      if (entry === undefined) return restMs;
      if (writing.has(key)) {
        overlooked.add(key);
        return restMs;
      }
      const hardwareVersion = cluster.hardware(key)?.resourceVersion ?? '';
      if (unchecked.delete(key) || hasDrifted(entry, ledger.get(entry.uid), hardwareVersion)) repairs.add(key);
      return restMs;
    },
    onFailure(host, error, retryInMs) {
      tally.lookFailed();
      log.warn({ host, error: said(error), retryInMs }, 'workflow could not be told');
    },
  });

  const machines = createMachines({
    kube,
    config,
    stores: () => entities.stores,
    hosts: () => cluster.hosts(),
    tell: (key) => entities.look('Metal3Machine', key),
    log,
  });
  const entities = createEntities({
    kube,
    client,
    bindings: [...BINDINGS, machines.binding],
    hosts: cluster,
    namespaces: watchedNamespaces(config),
    watchFilter: config.WATCH_FILTER,
    onChange: (kind, now) => machines.objectChanged(kind, now),
    options,
    concurrency: telling,
    log,
    metrics,
  });

  const strayHosts: StrayKind = {
    workflowType: HOST_WORKFLOW_TYPE,
    workflowId: hostWorkflowId,
    view: hostView,
    vanished: hostVanished,
    watches: (namespace) => cluster.watches(namespace),
    has: (key) => cluster.host(key) !== undefined,
  };
  const strays = createQueue({
    concurrency: ASKING,
    watcher: watchQueue(metrics, 'baremetalhost-stray', ASKING),
    work: createTellStray(client, strayHosts),
    onFailure: (host, error, retryInMs) => log.info({ host, error: said(error), retryInMs }, 'stray could not be told'),
  });

  /** Tells everybody, those first who have something to do, and then those whose host is no more. */
  const tellAll = async (signal: AbortSignal): Promise<void> => {
    // A Temporal that lost its database knows nothing of these either.
    await registerSearchAttributes(client).catch((error: unknown) =>
      log.warn({ error: said(error) }, 'search attributes could not be registered'),
    );
    nudge.forgetAll();
    const hosts = cluster.hosts();
    const pending = new Set(hosts.filter(isPending));
    const order = [...pending, ...hosts.filter((host) => !pending.has(host))].map(keyOf);
    await pace(
      order,
      HOSTS_PER_SECOND,
      (key) => {
        unchecked.add(key);
        tells.add(key);
      },
      signal,
    );
    try {
      for await (const key of findStrays(client, strayHosts)) strays.add(key);
    } catch (error) {
      // Everybody is told again once Temporal is back.
      log.info({ error: said(error) }, 'workflows could not be listed');
    }
  };

  const work = async (signal: AbortSignal): Promise<void> => {
    await Promise.race([cluster.synced, aborted(signal)]);
    if (signal.aborted) return;
    ready = true;
    for (const key of unsynced) dataImages.add(key);
    unsynced.clear();
    log.info({ hosts: cluster.hosts().length }, 'watching');
    const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = config;
    const options = {
      taskQueue: BRIDGE_TASK_QUEUE,
      activities: joinedActivities(createBridgeActivities({ publish }), entities.activities, machines.activities),
      maxConcurrentActivityTaskExecutions: PUBLISHING,
    };
    const onRunning = (isRunning: boolean): void => void (working = isRunning);
    await Promise.all([
      tellAll(signal),
      temporal.run(signal),
      nodes && sweepNodes({ ...nodes, client, cluster, log, now }, signal),
      machines.sweepLabels(signal),
      keepWorker({ address, namespace, log, options, onRunning }, signal),
    ]);
  };
  let ending: AbortSignal | undefined;
  const temporal = watchTemporal(client, log, () => {
    if (ending !== undefined) void Promise.all([tellAll(ending), entities.tellAll(ending)]);
  });

  return {
    get missing() {
      return [
        ...(ready ? [] : ['BareMetalHosts are not listed yet']),
        ...(cluster.following && entities.stores.following ? [] : ['the API server can not be followed']),
        ...(temporal.reachable ? [] : ['Temporal does not answer']),
        ...(working ? [] : ['the worker for publishing does not run']),
      ];
    },
    async run(signal) {
      ending = signal;
      await Promise.all([cluster.run(signal), entities.run(signal), work(signal)]);
      await machines.stop();
      // What is cut short here is done again after the next start.
      const queues = [tells, images, dataImages, repairs, strays, entities];
      const stopped = Promise.all(queues.map((queue) => queue.stop()));
      await Promise.race([stopped, sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
