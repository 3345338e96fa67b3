import type { Kube } from '../kube/client.ts';
import { createReflector, type ObjectIdentity } from '../kube/reflector.ts';

/** The fields of every object. */
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
  /** The first list has been read. */
  readonly synced: Promise<void>;
}

/** Watches the objects under a path of an API server until aborted, also across failures of the server. */
export function watchLabObjects<T extends Identified>(
  kube: Kube,
  path: string,
  /** `now` is undefined for a deleted object. Called first for each existing object. */
  onChange: (now: T | undefined, before: T | undefined) => void,
  signal: AbortSignal,
): WatchedObjects<T> {
  const reflector = createReflector<ObjectIdentity & { readonly object: T }>({
    kube,
    path,
    keep: (found) => {
      const object = found as T;
      return { ...object.metadata, namespace: object.metadata.namespace ?? '', object };
    },
    onChange: (_key, now, before) => onChange(now?.object, before?.object),
    // The watch retries; meanwhile the last known state is shown.
    onTrouble: () => undefined,
  });
  void reflector.run(signal);
  return { all: () => [...reflector.values()].map(({ object }) => object), synced: reflector.synced };
}
