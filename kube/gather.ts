import type { Kube } from './client.ts';
import type { FollowedKind } from './kinds.ts';
import { isObjectName, type Named, objectPath } from './paths.ts';

/** Finds an object, in a cache or among what was read from the API server; undefined when there is none. */
export type Find = (kind: FollowedKind, name: Named) => unknown;

/**
 * Runs a function over objects from the API server, and again while it asks for objects that were not read yet. The
 * objects of one run are read in parallel. The function must be pure, and treat an unread object as one that does not
 * exist.
 */
export async function gather<T>(kube: Pick<Kube, 'find'>, work: (find: Find) => T): Promise<T> {
  const read = new Map<string, unknown>();
  for (;;) {
    const unread = new Set<string>();
    const result = work((kind, name) => {
      if (!isObjectName(name.name)) return undefined;
      const path = objectPath(kind, name);
      if (!read.has(path)) unread.add(path);
      return read.get(path);
    });
    if (unread.size === 0) return result;
    await Promise.all([...unread].map(async (path) => read.set(path, await kube.find(path))));
  }
}
