import type { Client } from '@temporalio/client';
import type { EntityView } from '../../domain/entity/view.ts';
import type { Kube } from '../../kube/client.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics/registry.ts';
import { type EntityOptions, entityWorkflowId, vanished, view } from '../../workflows/entity/messages.ts';
import { watchQueue } from '../metrics/watch-queue.ts';
import { pace } from '../pace.ts';
import { createQueue, type KeyedQueue } from '../queue.ts';
import { createTellStray, findStrays, type StrayKind } from '../strays.ts';
import type { Cluster, HostEntry } from '../watch.ts';
import type { Binding, Entry } from './binding.ts';
import { lookedAfterBy, type OwnObjects, ownObjects } from './looked-after.ts';
import { createRepair, hasDrifted } from './repair.ts';
import { type FollowedStores, followKinds } from './stores.ts';
import { createTell, type Tell } from './tell.ts';
import { createPublishEntity, type PublishAnswer, type WrittenEntity } from './write.ts';

export interface EntitiesDeps {
  readonly kube: Kube;
  readonly client: Client;
  readonly bindings: readonly Binding[];
  /** The BareMetalHosts, which have a watch of their own. */
  readonly hosts: Pick<Cluster, 'host' | 'hosts' | 'secretVersion' | 'synced' | 'watches'>;
  readonly namespaces: readonly string[];
  /** Only objects with the label of this value are looked after; '': all. */
  readonly watchFilter: string;
  /** Called for whatever came, changed or went, once all that there is is known. */
  readonly onChange: (kind: FollowedKind, now: Entry | undefined) => void;
  readonly options: EntityOptions;
  /** Objects of a kind that are told of at a time. */
  readonly concurrency: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface EntityActivities {
  /** Makes an object show this view. Idempotent; of several views of an object the newest wins. */
  publishEntity(input: { readonly view: EntityView }): Promise<PublishAnswer>;
}

/** All kinds with a workflow but BareMetalHost: objects to workflows, and views back to objects. */
export interface Entities {
  readonly activities: EntityActivities;
  readonly stores: FollowedStores;
  /** A BareMetalHost is another than before, or gone: those who look at it are told. */
  hostChanged(now: HostEntry | undefined, before: HostEntry | undefined): void;
  /** A Secret came, changed or went. */
  secretChanged(key: string): void;
  /** Everybody is told again, and asked what is to be shown; nobody before all that there is is known. */
  tellAll(signal: AbortSignal): Promise<void>;
  /** Asks for one more look at an object, whatever changed. */
  look(kind: string, key: string): void;
  run(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** Queries at a time (they hold a workflow's worker), and the pace at which all objects are told after a start. */
const ASKING = 20;
const OBJECTS_PER_SECOND = 50;
/** The first change is told at once; those that follow within this time go together. */
const BETWEEN_SIGNALS_MS = 100;

export function createEntities(deps: EntitiesDeps): Entities {
  const { kube, client, bindings, hosts, namespaces, watchFilter, options, concurrency, log, metrics } = deps;
  const now = Date.now;
  const ledger = new Map<string, WrittenEntity>();
  const publish = createPublishEntity({ kube, bindings, ledger, now });
  const isLookedAfter = lookedAfterBy(watchFilter);
  const ours = (entry: Entry | undefined): Entry | undefined => (entry && isLookedAfter(entry) ? entry : undefined);
  let ready = false;

  const stores = followKinds({
    kube,
    namespaces,
    hosts,
    kinds: unique(bindings.flatMap(({ followed, related }) => [followed, ...related])),
    onChange(kind, key, after, before) {
      if (!ready) return;
      deps.onChange(kind, after);
      for (const line of lines) {
        if (isSame(line.binding.followed, kind)) {
          const was = ours(before);
          if (was !== undefined && was.uid !== ours(after)?.uid) line.tell.vanished(was);
          line.tells.add(key);
        } else line.concerns(kind, after, before);
      }
    },
    onTrouble: (kind, error, retryInMs) =>
      log.warn({ kind, error: said(error), retryInMs }, 'lost sight of the API server'),
  });

  const lines = bindings.map((binding) => createLine(binding));

  function createLine(binding: Binding): Line {
    const { kind } = binding.followed;
    const own = ownObjects(binding.followed, stores, isLookedAfter);
    const tell = createTell(binding, { client, stores, own, ledger, options, log });
    /** Objects whose status is to be compared with their workflow's view, whatever it looks like. */
    const unchecked = new Set<string>();
    const repairs = createQueue({
      concurrency: ASKING,
      work: createRepair(binding, { client, own, publish, now }),
      onFailure: (key, error, retryInMs) =>
        log.info({ kind, key, error: said(error), retryInMs }, 'workflow did not tell what to show'),
    });
    const tells = createQueue({
      concurrency,
      watcher: watchQueue(metrics, kind.toLowerCase(), concurrency),
      async work(key) {
        const restMs = (await tell.tell(key)) ? BETWEEN_SIGNALS_MS : undefined;
        const entry = own.get(key);
        if (entry === undefined) return restMs;
        if (unchecked.delete(key) || hasDrifted(entry, ledger.get(entry.uid), binding.finalizer)) repairs.add(key);
        return restMs;
      },
      onFailure: (key, error, retryInMs) =>
        log.warn({ kind, key, error: said(error), retryInMs }, 'workflow could not be told'),
    });
    const concerns: Line['concerns'] = (changed, after, before) => {
      for (const object of [after, before]) {
        if (object !== undefined) for (const key of binding.concerned(changed, object, stores)) tells.add(key);
      }
    };
    const stray: StrayKind = {
      workflowType: binding.workflowType,
      workflowId: (object) => entityWorkflowId(kind, object),
      view,
      vanished,
      watches: (namespace) => hosts.watches(namespace),
      has: (key) => own.get(key) !== undefined,
    };
    const strays = createQueue({
      concurrency: ASKING,
      work: createTellStray(client, stray),
      onFailure: (key, error, retryInMs) =>
        log.info({ kind, key, error: said(error), retryInMs }, 'stray could not be told'),
    });
    return { binding, own, tell, tells, repairs, stray, strays, unchecked, concerns };
  }

  const tellStrays = async ({ stray, strays }: Line): Promise<void> => {
    for await (const key of findStrays(client, stray)) strays.add(key);
  };

  const tellAll = async (signal: AbortSignal): Promise<void> => {
    if (!ready) return;
    for (const line of lines) {
      line.tell.forgetAll();
      const keys = [...line.own.values()].map(keyOf);
      await pace(
        keys,
        OBJECTS_PER_SECOND,
        (key) => {
          line.unchecked.add(key);
          line.tells.add(key);
        },
        signal,
      );
      // Everybody is told again once Temporal is back.
      await tellStrays(line).catch((error: unknown) =>
        log.info({ error: said(error) }, 'workflows could not be listed'),
      );
    }
  };

  return {
    activities: { publishEntity: ({ view: shown }) => publish(shown, { kind: 'workflow' }) },
    stores,
    hostChanged(after, before) {
      if (ready) for (const line of lines) line.concerns(null, after, before);
    },
    secretChanged(key) {
      if (!ready) return;
      for (const { binding, tells } of lines)
        for (const one of binding.concernedBySecret?.(key, stores) ?? []) tells.add(one);
    },
    tellAll,
    look(kind, key) {
      lines.find(({ binding }) => binding.followed.kind === kind)?.tells.add(key);
    },
    async run(signal) {
      void Promise.all([hosts.synced, stores.synced]).then(() => {
        ready = true;
        return tellAll(signal);
      });
      await stores.run(signal);
    },
    async stop() {
      await Promise.all(
        lines.flatMap(({ tells, repairs, strays }) => [tells, repairs, strays].map((queue) => queue.stop())),
      );
    },
  };
}

interface Line {
  readonly binding: Binding;
  readonly own: OwnObjects;
  readonly tell: Tell;
  readonly tells: KeyedQueue;
  readonly repairs: KeyedQueue;
  readonly stray: StrayKind;
  readonly strays: KeyedQueue;
  readonly unchecked: Set<string>;
  concerns(kind: FollowedKind | null, now: Entry | HostEntry | undefined, before: Entry | HostEntry | undefined): void;
}

const isSame = (a: FollowedKind, b: FollowedKind): boolean => a.kind === b.kind && a.apiVersion === b.apiVersion;

const unique = (kinds: readonly FollowedKind[]): readonly FollowedKind[] =>
  kinds.filter((kind, at) => kinds.findIndex((other) => isSame(kind, other)) === at);

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));
