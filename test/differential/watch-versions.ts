import { z } from 'zod';
import { objectMeta } from '../../api/meta/object-meta.ts';
import { type Kube, KubeError } from '../../kube/client.ts';
import { isObject } from '../../kube/merge-patch.ts';
import { createReflector } from '../../kube/reflector.ts';

export const seenObject = z.looseObject({ metadata: objectMeta.partial({ namespace: true }).loose() });
export type SeenObject = z.infer<typeof seenObject>;

/** One version of one object. All kinds share one order, because one etcd assigns the versions. */
export interface Version<Kind extends string = string> {
  readonly at: number;
  readonly kind: Kind;
  readonly name: string;
  /** undefined: deleted. */
  readonly object: SeenObject | undefined;
}

/** Every version of every object of one namespace, in the order of writes. */
export interface Witness<Kind extends string = string> {
  versions(): readonly Version<Kind>[];
  /** Resolves at the next version, or after the given time; rejects when the watch broke. */
  next(ms: number): Promise<void>;
}

/** Watches these kinds, each under its path. */
export interface Watch<Kind extends string> {
  of(namespace: string): Witness<Kind>;
  stop(): Promise<void>;
}

export interface WatchOptions<Kind extends string> {
  readonly kube: Kube;
  /** The collection of each kind, of one namespace or of all. */
  readonly paths: Readonly<Record<Kind, string>>;
  /** The namespace to which an object counts that has none. */
  readonly namespaceOf?: (name: string) => string;
}

export async function watchVersions<Kind extends string>({
  kube,
  paths,
  namespaceOf = () => '',
}: WatchOptions<Kind>): Promise<Watch<Kind>> {
  const seen = new Map<string, Version<Kind>[]>();
  const wakes = new Map<string, () => void>();
  const stopped = new AbortController();
  const seenIn = (namespace: string): Version<Kind>[] => {
    const known = seen.get(namespace) ?? [];
    seen.set(namespace, known);
    return known;
  };
  const note = (namespace: string, version: Version<Kind>): void => {
    const known = seenIn(namespace);
    known.push(version);
    known.sort((a, b) => a.at - b.at);
    wakes.get(namespace)?.();
  };
  const reflectors = (Object.entries(paths) as [Kind, string][]).map(([kind, path]) =>
    createReflector({
      kube,
      path,
      keep: (json) => {
        const object = seenObject.parse(json);
        const { name, uid = '', resourceVersion = '', namespace = namespaceOf(name) } = object.metadata;
        return { namespace, name, uid, resourceVersion, object };
      },
      onChange: (_key, now, before) => {
        const last = now ?? before;
        if (last === undefined) return;
        const { namespace, name, resourceVersion } = last;
        note(namespace, { at: Number(resourceVersion), kind, name, object: now?.object });
      },
      // Versions written without a watch would be missing; a kind that was just defined may ask to be watched later.
      onTrouble: (error) => {
        if (!(error instanceof KubeError && error.status === 429)) throw error;
      },
    }),
  );
  const running = Promise.all(reflectors.map((reflector) => reflector.run(stopped.signal)));
  running.catch(() => undefined);
  await Promise.race([running, Promise.all(reflectors.map(({ synced }) => synced))]);

  return {
    of: (namespace) => ({
      versions: () => seenIn(namespace),
      next: async (ms) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        wakes.set(namespace, resolve);
        const timer = setTimeout(resolve, ms);
        await Promise.race([running, promise]);
        clearTimeout(timer);
        wakes.delete(namespace);
      },
    }),
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}

export const field = (object: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), object);
