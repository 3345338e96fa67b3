import type { FollowedKind } from './kinds.ts';
import { keyOf } from './reflector.ts';
import type { Entry, Index } from './store.ts';

/** Creates one index for each kind, because the store finds an index by object identity. */
export const perKind = (keysOf: Index['keysOf']): ((kind: FollowedKind) => Index) => {
  const made = new Map<FollowedKind, Index>();
  return (kind) => {
    const index = made.get(kind) ?? { kind, keysOf };
    made.set(kind, index);
    return index;
  };
};

/** All objects of a kind by their namespace. */
export const byNamespace = perKind(({ namespace }) => [namespace]);
export const byUid = perKind(({ uid }) => [uid]);

type Names = (entry: Entry) => Iterable<string | undefined> | string | undefined;

/**
 * Indexes objects by names in their spec or metadata, which refer to their own namespace: each key is the
 * `<namespace>/<name>` of the named object.
 */
export const byName = (kind: FollowedKind, namesOf: Names): Index => ({
  kind,
  *keysOf(entry) {
    const said = namesOf(entry);
    const names = new Set(said === undefined || typeof said === 'string' ? [said] : said);
    for (const name of names) if (name !== undefined) yield keyOf({ namespace: entry.namespace, name });
  },
});
