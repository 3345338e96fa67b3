import { z } from 'zod';
import { type Kube, KubeError } from './client.ts';
import { type FollowedKind, isSameKind, KINDS } from './kinds.ts';
import { collectionPath, crdOf, DEFINITIONS } from './paths.ts';
import {
  createReflector,
  keyOf,
  METADATA_ONLY,
  type ObjectIdentity,
  type Reflector,
  type ReflectorOptions,
} from './reflector.ts';
import type { Entry, Store } from './store.ts';

/** A kind to watch. */
export interface WatchedKind {
  readonly kind: FollowedKind;
  /** Watched only while its CRD is installed: users without Cluster API do not have it. */
  readonly onceInstalled?: true;
  /** Only its metadata is requested, and only its identity is kept, with what this returns as the object. */
  readonly metadataOnly?: (object: unknown) => unknown;
}

export interface WatchOptions {
  readonly kube: Kube;
  /** Filled by the watches. */
  readonly store: Store;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly kinds: readonly WatchedKind[];
  readonly onTrouble: (kind: string, error: unknown, retryInMs: number) => void;
  /** Called with each object as it was received, with the fields that its entry lacks. */
  readonly onReceived?: (kind: FollowedKind, entry: Entry, object: unknown) => void;
  /** Changes an entry as it is stored. */
  readonly stored?: (kind: FollowedKind, entry: Entry) => Entry;
  /** Callbacks that notice a restore of the API server from a backup; every kind notices it for itself. */
  readonly restores?: Pick<ReflectorOptions<ObjectIdentity>, 'onSetBack' | 'lookForRestore' | 'renewedAt'>;
}

/** Keeps a store current by watching the API server. */
export interface KindsWatch {
  readonly watches: (namespace: string) => boolean;
  /** Resolves when all kinds whose CRDs are always installed are listed. */
  readonly synced: Promise<void>;
  /** Resolves when, in addition, all kinds whose CRDs were installed at the start are listed. */
  readonly complete: Promise<void>;
  /** False while a watch is interrupted. */
  readonly following: boolean;
  run(signal: AbortSignal): Promise<void>;
}

const metadata = z.looseObject({
  name: z.string(),
  namespace: z.string().default(''),
  uid: z.string(),
  resourceVersion: z.string(),
  annotations: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
const anyObject = z.object({ metadata });

/**
 * The annotation with kubectl's copy of the object: it is as large as the object and may contain the content of a
 * Secret.
 */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

type Place = Pick<ReflectorOptions<Entry>, 'path' | 'fieldSelector'>;

interface KindWatch {
  readonly followed: WatchedKind;
  readonly reflectors: readonly Reflector<Entry>[];
  running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
}

export function watchKinds(options: WatchOptions): KindsWatch {
  const { kube, store, namespaces, kinds, onTrouble, restores } = options;
  const { onReceived = () => undefined, stored = (_, entry) => entry } = options;
  const placesOf = (kind: FollowedKind): readonly Place[] => {
    if (namespaces.length === 0) return [{ path: collectionPath(kind, undefined) }];
    // Only the watched Namespaces: a cluster may have thousands of others.
    if (isSameKind(kind, KINDS.namespace))
      return namespaces.map((name) => ({
        path: collectionPath(kind, undefined),
        fieldSelector: `metadata.name=${name}`,
      }));
    const within = kind.isClusterScoped ? [undefined] : namespaces;
    return within.map((namespace) => ({ path: collectionPath(kind, namespace) }));
  };
  let ending: AbortSignal | undefined;

  const watchOf = (followed: WatchedKind): KindWatch => ({
    followed,
    running: undefined,
    reflectors: placesOf(followed.kind).map((place) =>
      createReflector<Entry>({
        kube,
        ...place,
        ...(followed.metadataOnly && { accept: METADATA_ONLY }),
        keep(object) {
          const entry = keeping(followed)(object);
          onReceived(followed.kind, entry, object);
          return entry;
        },
        onChange(key, now, before) {
          if (now === undefined) store.remove(followed.kind, key, before);
          else store.put(followed.kind, stored(followed.kind, now));
        },
        onTrouble: (error, retryInMs) => onTrouble(followed.kind.kind, explained(followed, error), retryInMs),
        ...restores,
      }),
    ),
  });
  const begin = (watch: KindWatch): void => {
    if (watch.running !== undefined || ending === undefined) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([ending, stop.signal]);
    const ended = Promise.all(watch.reflectors.map((reflector) => reflector.run(signal))).then(() => undefined);
    watch.running = { stop, ended };
  };
  const end = ({ followed: { kind }, reflectors, running }: KindWatch): void => {
    running?.stop.abort();
    for (const entry of reflectors.flatMap((reflector) => [...reflector.values()])) store.remove(kind, keyOf(entry));
  };

  const always = kinds.filter(({ onceInstalled }) => !onceInstalled).map(watchOf);
  const byCrd = new Map(
    kinds.filter(({ onceInstalled }) => onceInstalled).map((each) => [crdOf(each.kind), watchOf(each)]),
  );
  const crds = createReflector<ObjectIdentity>({
    kube,
    path: collectionPath(DEFINITIONS, undefined),
    accept: METADATA_ONLY,
    keep: keepIdentity,
    onChange(key, now) {
      // A CRD has no namespace, so its key begins with a slash.
      const name = key.slice(1);
      const watch = byCrd.get(name);
      if (watch === undefined) return;
      if (now !== undefined) return begin(watch);
      byCrd.set(name, watchOf(watch.followed));
      end(watch);
    },
    onTrouble: (error, retryInMs) => onTrouble('CustomResourceDefinition', error, retryInMs),
    ...restores,
  });
  const started = (): KindWatch[] => [...always, ...byCrd.values()].filter(({ running }) => running !== undefined);
  const listed = (watches: readonly KindWatch[]): Promise<unknown> =>
    Promise.all(watches.flatMap(({ reflectors }) => reflectors.map((reflector) => reflector.synced)));
  const synced = listed(always).then(() => undefined);

  const complete = Promise.all([synced, crds.synced])
    .then(() => listed(started()))
    .then(() => store.markComplete());

  return {
    watches: (namespace) => namespaces.length === 0 || namespaces.includes(namespace),
    synced,
    complete,
    get following() {
      return started().every(({ reflectors }) => reflectors.every(({ following }) => following));
    },
    async run(signal) {
      ending = signal;
      for (const watch of always) begin(watch);
      await crds.run(signal);
      await Promise.all(started().flatMap(({ running }) => (running === undefined ? [] : [running.ended])));
    },
  };
}

/** An API server that has a kind without this version answers with 404, as if it did not have the kind. */
function explained({ kind, onceInstalled }: WatchedKind, error: unknown): unknown {
  if (!onceInstalled || !(error instanceof KubeError) || error.status !== 404) return error;
  const version = kind.apiVersion.split('/').at(-1);
  const words = `${crdOf(kind)} is installed, but not served in version ${version}, which Temper reads`;
  return new Error(`${words}: ${error.message}`, { cause: error });
}

const keeping = ({ metadataOnly: marksIn }: WatchedKind): ((object: unknown) => Entry) =>
  marksIn === undefined ? keepObject : (object) => ({ ...keepIdentity(object), object: marksIn(object) });

function keepIdentity(object: unknown): Entry {
  const { namespace, name, uid, resourceVersion } = anyObject.parse(object).metadata;
  return { namespace, name, uid, resourceVersion, object: undefined };
}

/**
 * The object as received, without fields that nobody reads. It is not parsed: defaults of a schema must not look like
 * the user's values.
 */
function keepObject(object: unknown): Entry {
  const { managedFields: _, annotations, ...rest } = anyObject.parse(object).metadata;
  const { [LAST_APPLIED]: __, ...others } = annotations ?? {};
  const { namespace, name, uid, resourceVersion } = rest;
  const kept = { ...rest, ...(annotations !== undefined && { annotations: others }) };
  return { namespace, name, uid, resourceVersion, object: { ...(object as object), metadata: kept } };
}
