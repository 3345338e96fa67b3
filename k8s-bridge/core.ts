import { messageOf } from '../domain/message-of.ts';
import { type FollowedKind, isSameKind, KINDS } from '../kube/kinds.ts';
import { readObject } from '../kube/objects/any-object.ts';
import { marksKept } from '../kube/objects/secret.ts';
import { createSerializer } from '../kube/one-at-a-time.ts';
import { objectPath } from '../kube/paths.ts';
import { keyOf } from '../kube/reflector.ts';
import type { Entry } from '../kube/store.ts';
import { type WatchedKind, watchKinds } from '../kube/watch-kinds.ts';
import type { KeptSizes } from '../platform/metrics/kept.ts';
import type { PublishActivities, ReviveActivities } from '../workflows/messages.ts';
import type { Around } from './around.ts';
import type { BesideOthers } from './beside/beside.ts';
import type { Binding } from './binding.ts';
import { type Controller, type Controllers, keyInAll, splitKey } from './controller.ts';
import type { Restore } from './lease/restore.ts';
import { type Announce, createAnnounce } from './publish/announce.ts';
import { createMarkCondition, hidesNewSpec, type MarkCondition, outageMark } from './publish/mark-condition.ts';
import { createPublish } from './publish/publish.ts';
import { createToldFirst } from './publish/told-first.ts';
import { createWrite } from './publish/write.ts';
import { createReconciler } from './reconcile.ts';
import { createOrders } from './signal/orders.ts';
import type { RunOptions } from './signal/run-options.ts';
import { createSignals } from './signal/signals.ts';
import { createClosedRunsSweep } from './sweeps/closed-runs.ts';
import { sweepEvery } from './sweeps/every.ts';
import { createFailingTasksSweep } from './sweeps/failing-tasks.ts';
import { createPausedRunsSweep } from './sweeps/paused-runs.ts';
import { createResync } from './sweeps/resync.ts';
import { createRevive, createReviveActivities, type Revive } from './sweeps/revive.ts';
import { enqueueChanges } from './watch/enqueue.ts';
import { measureQueue } from './watch/measure-queue.ts';
import { ownObjects } from './watch/own-objects.ts';
import { createQueue } from './watch/queue.ts';
import type { Queues } from './watch/queues.ts';

export interface CoreDeps extends Pick<Around, 'kube' | 'client' | 'store' | 'ledger' | 'log' | 'metrics'> {
  /** How people call Temporal's command line. */
  readonly temporalCommand: string;
  readonly queues: Queues;
  readonly bindings: readonly Binding[];
  /** Empty: all. */
  readonly namespaces: readonly string[];
  /** Only objects with this label value are reconciled; '': all. */
  readonly watchFilter: string;
  /** Options of new runs. */
  readonly options: RunOptions['current'];
  /** Called after each write to an object. */
  readonly onWritten: (kind: string, key: string) => void;
  readonly restore: Restore;
  readonly beside: Pick<BesideOthers, 'received' | 'stored' | 'why' | 'look'>;
  /** That Temporal does not answer, in words; undefined: it does. */
  readonly outage: () => string | undefined;
  /** Interval (ms) of the sweeps for closed and paused runs and for failing workflow tasks. */
  readonly sweepMs?: number;
}

/** Signals objects to workflows and writes views to objects, for all kinds with workflows. */
export interface Core {
  readonly controllers: Controllers;
  readonly activities: PublishActivities & ReviveActivities;
  readonly revive: Revive;
  readonly announce: Announce;
  readonly markCondition: MarkCondition;
  /** Resolves when all kinds whose CRDs are always installed are listed, and other operators were looked for. */
  readonly synced: Promise<void>;
  /** False while a watch is interrupted. */
  readonly following: boolean;
  /** Temporal answers again; `isAnother`: it has lost its database. */
  temporalIsBack(isAnother: boolean): void;
  run(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  readonly kept: KeptSizes;
}

/** Concurrent queries: each occupies a workflow worker. */
const ASKING = 20;
/** A closed run is noticed within a minute, although visibility lags behind. */
const SWEEP_MS = 30_000;

export function createCore(deps: CoreDeps): Core {
  const { kube, client, store, ledger, queues, bindings, restore, beside, log, metrics } = deps;
  const now = Date.now;
  const { record } = metrics;
  const orders = createOrders(now());
  const watch = watchKinds({
    kube,
    store,
    namespaces: deps.namespaces,
    kinds: followedBy(bindings),
    onTrouble: (kind, error, retryInMs) =>
      log.warn({ kind, error: messageOf(error), retryInMs }, 'watch of the API server was interrupted'),
    onReceived: beside.received,
    stored: beside.stored,
    restores: { onSetBack: restore.notice, lookForRestore: restore.look, renewedAt: restore.renewedAt },
  });
  const repairs = createQueue({
    concurrency: ASKING,
    watcher: measureQueue(metrics, 'repair', ASKING),
    onFailure(objectInAll, error, retryInMs) {
      const { kind, key: object } = splitKey(objectInAll);
      log.info({ kind, object, error: messageOf(error), retryInMs }, 'workflow did not answer the query for its view');
    },
  });

  // The parts in the order in which a change passes through them.
  const signals = createSignals(client, deps.options);
  const announce = createAnnounce({ kube, log, now });
  const onRefused = (kind: string): void => record({ name: 'temper_writes_refused_total', labels: { kind } });
  /** Each part takes what it needs. */
  const around = { ...deps, stores: store, watches: watch.watches, orders, signals, announce, now };
  const write = createWrite({ ...around, onRefused });
  const serially = createSerializer();
  const markCondition = createMarkCondition({ kube, ledger, serially, now });
  /**
   * Shows on a host with a new spec that its run cannot be told of it while Temporal does not answer. Otherwise clients
   * that follow kstatus would go on. One write at most for each host: what it shows then is enough.
   */
  const showOutage = async (binding: Binding, entry: Entry): Promise<void> => {
    const outage = deps.outage();
    if (outage === undefined || !hidesNewSpec(binding, readObject(entry.object))) return;
    await markCondition(binding, entry, outageMark(outage)).catch((error: unknown) =>
      log.info({ object: keyOf(entry), error: messageOf(error) }, 'the outage of Temporal could not be shown'),
    );
  };
  const onUnreadable = (kind: string): void =>
    record({ name: 'controller_runtime_terminal_reconcile_errors_total', labels: { controller: kind.toLowerCase() } });

  /** Before anything is done. Without the right to Leases it is done as well: writes of others are seen in any case. */
  const lookBeside = (): Promise<void> =>
    beside.look().catch((error: unknown) => log.warn({ err: error }, 'Leases of other operators could not be listed'));
  const [synced, complete] = [watch.synced.then(lookBeside), watch.complete.then(lookBeside)];

  const controllers = new Map(
    bindings.map((binding): [string, Controller] => {
      const { kind } = binding.followed;
      const own = ownObjects(binding, store, deps.watchFilter);
      const queue = queues.of(kind);
      const reconciler = createReconciler(binding, {
        ...around,
        own,
        queue,
        repair: (...object) => repairs.add(keyInAll(...object)),
        isAfterRestore: restore.isPast,
        whyLeftAlone: ({ namespace }) => beside.why(binding.followed, namespace),
        showOutage: (entry) => showOutage(binding, entry),
        onUnreadable,
      });
      const isGated = [binding.followed, ...binding.related].some(isOnceInstalled);
      const ready = isGated ? complete : synced;
      let isReady = false;
      void ready.then(() => (isReady = true));
      return [kind, { binding, own, queue, reconciler, ready, isReady: () => isReady }];
    }),
  );

  const onLag = (kind: string, ms: number): void =>
    record({ name: 'temper_status_lag_seconds', labels: { kind }, value: ms / 1_000 });
  const publish = createPublish({
    ...around,
    onLag,
    toldFirst: createToldFirst({
      ...around,
      tellers: controllers,
      versionOf: async (view, { followed }) => {
        const found = await kube.find(objectPath(followed, view));
        return found === undefined ? undefined : readObject(found).metadata.resourceVersion;
      },
    }),
    write,
    serially,
    look: queues.look,
    isLeftAlone: (binding, { namespace }) => beside.why(binding.followed, namespace) !== undefined,
  });

  const onRestarted = (kind: string, ended: string): void =>
    record({ name: 'temper_workflow_restarts_total', labels: { kind, ended } });
  const revive = createRevive({ ...around, controllers, onRestarted });
  /**
   * Queries the workflow for the object's view and writes it. Throws without an answer; the object then stays unchanged.
   */
  const repair = async (object: string): Promise<void> => {
    const { kind, key } = splitKey(object);
    const { binding, own } = controllers.get(kind) ?? {};
    const entry = own?.get(key);
    if (binding === undefined || entry === undefined || binding.isLeftAlone?.(entry)) return;
    const askedAt = now();
    const answer = await signals.ask(binding, entry);
    if (answer.kind !== 'view') return revive(kind, key);
    if (answer.view?.uid === entry.uid) await publish(answer.view, { kind: 'query', askedAt });
  };
  const resync = createResync({ ...around, controllers: [...controllers.values()], publish, revive });
  const closedRuns = createClosedRunsSweep({ client, controllers, revive, now });
  const onFailing = (kind: string, value: number): void =>
    record({ name: 'temper_failing_workflow_tasks', labels: { kind }, value });
  const lookForFailingTasks = createFailingTasksSweep({ ...around, controllers, markCondition, onFailing });
  const pausedRuns = createPausedRunsSweep({
    ...around,
    controllers,
    markCondition,
    repair: (...object) => repairs.add(keyInAll(...object)),
    onPaused: (kind, value) => record({ name: 'temper_paused_runs', labels: { kind }, value }),
  });

  /** Removes entries that were added to the ledger while their object was being deleted. */
  const forgetGone = async (): Promise<void> => {
    const all = [...controllers.values()];
    if (!all.every(({ isReady }) => isReady())) return;
    const there = new Set(all.flatMap(({ own }) => [...own.values()].map(({ uid }) => uid)));
    for (const [uid, { writing }] of ledger.entries()) if (!there.has(uid) && writing === 0) ledger.forget(uid);
  };

  for (const { binding, own, queue, reconciler, isReady } of controllers.values()) {
    const { vanished } = reconciler;
    store.onChange(enqueueChanges({ binding, own, isReady, look: queue.add, vanished }, store));
  }

  return {
    controllers,
    activities: {
      publish: ({ view }) => publish(view, { kind: 'workflow' }),
      ...createReviveActivities(revive),
    },
    revive,
    announce,
    markCondition,
    synced,
    get following() {
      return watch.following;
    },
    temporalIsBack(isAnother) {
      if (isAnother) ledger.forgetSignals();
      resync.restart();
    },
    async run(signal) {
      for (const { queue, reconciler } of controllers.values()) queue.serve(reconciler.reconcile);
      repairs.serve(repair);
      const { sweepMs: intervalMs = SWEEP_MS } = deps;
      await Promise.all([
        watch.run(signal),
        resync.run(signal),
        sweepEvery({ name: 'closed runs', intervalMs, look: closedRuns.look }, log, signal),
        sweepEvery({ name: 'paused runs', intervalMs, look: pausedRuns.look }, log, signal),
        sweepEvery({ name: 'failing workflow tasks', intervalMs, look: lookForFailingTasks }, log, signal),
        sweepEvery({ name: 'ledger entries of deleted objects', intervalMs, look: forgetGone }, log, signal),
      ]);
    },
    stop: async () => void (await Promise.all([queues.stop(), repairs.stop()])),
    kept: {
      cached_objects: () => store.size,
      index_keys: () => store.indexKeys,
      ledger: () => ledger.size,
      queue_keys: () => queues.kept + repairs.kept,
      vanished_objects: () => [...controllers.values()].reduce((sum, { reconciler }) => sum + reconciler.vanishing, 0),
      running_writes: () => serially.size,
      closed_runs: () => closedRuns.size,
      paused_runs: () => pausedRuns.size,
    },
  };
}

/** The CRDs of Metal3's own kinds are always installed; those of Cluster API may be missing. */
const isOnceInstalled = ({ apiVersion }: FollowedKind): boolean =>
  apiVersion !== KINDS.host.apiVersion && apiVersion !== KINDS.secret.apiVersion;

function followedBy(bindings: readonly Binding[]): readonly WatchedKind[] {
  const kinds = bindings.flatMap(({ followed, related, relatedLater = [] }) => [followed, ...related, ...relatedLater]);
  return kinds
    .filter((kind, at) => kinds.findIndex((other) => isSameKind(kind, other)) === at)
    .map((kind) => ({
      kind,
      ...(isOnceInstalled(kind) && { onceInstalled: true }),
      // Of a Secret, only the identity and our marks are cached: its annotations may contain its content.
      ...(isSameKind(kind, KINDS.secret) && { metadataOnly: marksKept }),
    }));
}
