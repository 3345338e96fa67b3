import type { Kube } from '../kube/client.ts';
import { createReflector, type Kept } from '../kube/reflector.ts';

/** What every object has. */
export interface Identified {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

export interface WatchedObjects<T> {
  readonly all: () => readonly T[];
  /** Has answered at least once. */
  readonly synced: Promise<void>;
}

/** Follows the objects under a path of an API server until aborted, whatever happens to the server. */
export function watchObjects<T extends Identified>(
  kube: Kube,
  path: string,
  /** `now` undefined: deleted. Told at first of each object there is. */
  onChange: (now: T | undefined, before: T | undefined) => void,
  signal: AbortSignal,
): WatchedObjects<T> {
  const reflector = createReflector<Kept & { readonly object: T }>({
    kube,
    path,
    keep: (found) => {
      const object = found as T;
      return { ...object.metadata, namespace: object.metadata.namespace ?? '', object };
    },
    onChange: (_key, now, before) => onChange(now?.object, before?.object),
    // It tries again, and what is shown meanwhile is what was seen last.
    onTrouble: () => undefined,
  });
  void reflector.run(signal);
  return { all: () => [...reflector.values()].map(({ object }) => object), synced: reflector.synced };
}
