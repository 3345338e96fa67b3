import { z } from 'zod';
import type { Kube } from '../../kube/client.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { collectionPath } from '../../kube/paths.ts';
import { createReflector, type Kept, METADATA_ONLY, nameOf, type Reflector } from '../../kube/reflector.ts';
import type { Cluster } from '../watch.ts';
import type { Entry, Stores } from './binding.ts';

export interface StoresOptions {
  readonly kube: Kube;
  /** Empty: all of them. */
  readonly namespaces: readonly string[];
  readonly kinds: readonly FollowedKind[];
  /** BareMetalHosts and Secrets are followed already. */
  readonly hosts: Pick<Cluster, 'host' | 'hosts' | 'secretVersion'>;
  /** `now` undefined: deleted. */
  readonly onChange: (kind: FollowedKind, key: string, now: Entry | undefined, before: Entry | undefined) => void;
  readonly onTrouble: (kind: string, error: unknown, retryInMs: number) => void;
}

export interface FollowedStores extends Stores {
  /** Resolves once all objects of every kind that was installed at the start are known. */
  readonly synced: Promise<void>;
  /** True from then on. */
  readonly complete: boolean;
  /** False while a kind that is installed can't be followed. Whether any is, need not be known to who manages hosts alone. */
  readonly following: boolean;
  run(signal: AbortSignal): Promise<void>;
}

const CRDS = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };

const metadata = z.looseObject({
  name: z.string(),
  namespace: z.string().default(''),
  uid: z.string(),
  resourceVersion: z.string(),
});
const anyObject = z.object({ metadata });

/**
 * Follows kinds as soon as, and only while, their CRDs are installed: who manages hosts alone has no Cluster API. The
 * CRDs themselves are followed by their metadata.
 */
export function followKinds({ kube, namespaces, kinds, hosts, onChange, onTrouble }: StoresOptions): FollowedStores {
  const byCrd = new Map(kinds.map((kind) => [crdOf(kind), followKind(kind)]));
  let ending: AbortSignal | undefined;

  function followKind(kind: FollowedKind): KindStore {
    const places = namespaces.length === 0 ? [undefined] : namespaces;
    const reflectors = places.map((namespace) =>
      createReflector<Entry>({
        kube,
        path: collectionPath(kind, namespace),
        keep: keepObject,
        onChange: (key, now, before) => onChange(kind, key, now, before),
        onTrouble: (error, retryInMs) => onTrouble(kind.kind, error, retryInMs),
      }),
    );
    return { kind, reflectors, running: undefined };
  }

  const begin = (store: KindStore): void => {
    if (store.running !== undefined || ending === undefined) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([ending, stop.signal]);
    const ended = Promise.all(store.reflectors.map((reflector) => reflector.run(signal))).then(() => undefined);
    store.running = { stop, ended };
  };

  const crds = createReflector<Kept>({
    kube,
    path: collectionPath(CRDS, undefined),
    accept: METADATA_ONLY,
    keep: keepIdentity,
    onChange(key, now) {
      // Cluster-wide: there is no namespace before the name.
      const store = byCrd.get(key.slice(1));
      if (store === undefined) return;
      if (now !== undefined) begin(store);
      else {
        store.running?.stop.abort();
        byCrd.set(key.slice(1), followKind(store.kind));
      }
    },
    onTrouble: (error, retryInMs) => onTrouble('CustomResourceDefinition', error, retryInMs),
  });

  const started = (): KindStore[] => [...byCrd.values()].filter(({ running }) => running !== undefined);
  const reflectorsOf = (kind: FollowedKind): readonly Reflector<Entry>[] => byCrd.get(crdOf(kind))?.reflectors ?? [];

  let complete = false;
  const synced = crds.synced.then(async () => {
    await Promise.all(started().flatMap(({ reflectors }) => reflectors.map((reflector) => reflector.synced)));
    complete = true;
  });

  return {
    get(kind, key) {
      for (const reflector of reflectorsOf(kind)) {
        const found = reflector.get(key);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    *values(kind) {
      for (const reflector of reflectorsOf(kind)) yield* reflector.values();
    },
    host: hosts.host,
    hosts: hosts.hosts,
    hasSecret(key) {
      const { namespace, name } = nameOf(key);
      return hosts.secretVersion(namespace, name) !== null;
    },
    synced,
    get complete() {
      return complete;
    },
    get following() {
      return started().every(({ reflectors }) => reflectors.every(({ following }) => following));
    },
    async run(signal) {
      ending = signal;
      await crds.run(signal);
      await Promise.all(started().flatMap(({ running }) => (running === undefined ? [] : [running.ended])));
    },
  };
}

interface KindStore {
  readonly kind: FollowedKind;
  readonly reflectors: readonly Reflector<Entry>[];
  running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
}

const crdOf = ({ apiVersion, plural }: FollowedKind): string => `${plural}.${apiVersion.split('/')[0] ?? ''}`;

const keepIdentity = (object: unknown): Kept => {
  const { namespace, name, uid, resourceVersion } = anyObject.parse(object).metadata;
  return { namespace, name, uid, resourceVersion };
};

function keepObject(object: unknown): Entry {
  const { managedFields: _, ...rest } = anyObject.parse(object).metadata;
  return { ...keepIdentity(object), object: { ...(object as object), metadata: rest } };
}
