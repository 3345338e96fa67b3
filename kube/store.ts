import type { FollowedKind } from './kinds.ts';
import { keyOf, type ObjectIdentity } from './reflector.ts';

/**
 * A cached object; `object` lacks fields that nobody reads, and is undefined for kinds of which only the identity is
 * kept.
 */
export interface Entry extends ObjectIdentity {
  readonly object: unknown;
}

/**
 * Finds objects of a kind by other keys, for example by the Secrets that they name. Must be a constant: the store keeps
 * one index for each object of this type.
 */
export interface Index {
  readonly kind: FollowedKind;
  readonly keysOf: (entry: Entry) => Iterable<string>;
}

/** The cached objects. Empty for a kind that is not watched or whose CRD is not installed. */
export interface Stores {
  get(kind: FollowedKind, key: string): Entry | undefined;
  values(kind: FollowedKind): Iterable<Entry>;
  /** The objects with this key in the index. */
  having(index: Index, key: string): Iterable<Entry>;
}

/** A created (no `before`), changed or deleted (no `now`) object. `key` is `<namespace>/<name>`. */
export interface Change {
  readonly kind: FollowedKind;
  readonly key: string;
  readonly now: Entry | undefined;
  readonly before: Entry | undefined;
}

export interface Store extends Stores {
  /** Calls the listener for each later change. */
  onChange(listener: (change: Change) => void): void;
  put(kind: FollowedKind, entry: Entry): void;
  /** `last`: the object when it was deleted, if the server sent it. */
  remove(kind: FollowedKind, key: string, last?: Entry): void;
  /** All kinds that were installed at the start are listed. */
  readonly isComplete: boolean;
  markComplete(): void;
  /** Number of objects, of all kinds. */
  readonly size: number;
  /** Number of keys in all indexes. */
  readonly indexKeys: number;
}

interface KindStore {
  readonly entries: Map<string, Entry>;
  readonly indexes: Map<Index, Map<string, Set<string>>>;
}

/** Objects of many kinds. An index is built at its first use and then kept up to date. */
export function createStore(): Store {
  const kinds = new Map<string, KindStore>();
  const listeners: ((change: Change) => void)[] = [];
  const tell = (change: Change): void => {
    for (const listener of listeners) listener(change);
  };
  let isComplete = false;
  const storeOf = (kind: FollowedKind): KindStore => {
    const id = `${kind.apiVersion}/${kind.kind}`;
    const found = kinds.get(id);
    if (found !== undefined) return found;
    const made = { entries: new Map(), indexes: new Map() };
    kinds.set(id, made);
    return made;
  };
  const indexed = (index: Index): ReadonlyMap<string, ReadonlySet<string>> => {
    const { entries, indexes } = storeOf(index.kind);
    const found = indexes.get(index);
    if (found !== undefined) return found;
    const made = new Map<string, Set<string>>();
    indexes.set(index, made);
    for (const [key, entry] of entries) addTo(made, index, key, entry);
    return made;
  };

  return {
    get: (kind, key) => storeOf(kind).entries.get(key),
    values: (kind) => storeOf(kind).entries.values(),
    *having(index, wanted) {
      const { entries } = storeOf(index.kind);
      for (const key of indexed(index).get(wanted) ?? []) {
        const entry = entries.get(key);
        if (entry !== undefined) yield entry;
      }
    },
    put(kind, entry) {
      const { entries, indexes } = storeOf(kind);
      const key = keyOf(entry);
      const before = entries.get(key);
      entries.set(key, entry);
      for (const [index, keys] of indexes) {
        if (before !== undefined) removeFrom(keys, index, key, before);
        addTo(keys, index, key, entry);
      }
      tell({ kind, key, now: entry, before });
    },
    onChange: (listener) => void listeners.push(listener),
    remove(kind, key, last) {
      const { entries, indexes } = storeOf(kind);
      const before = entries.get(key);
      if (before === undefined) return;
      entries.delete(key);
      for (const [index, keys] of indexes) removeFrom(keys, index, key, before);
      tell({ kind, key, now: undefined, before: last ?? before });
    },
    get isComplete() {
      return isComplete;
    },
    markComplete() {
      isComplete = true;
    },
    get size() {
      return sum([...kinds.values()].map(({ entries }) => entries.size));
    },
    get indexKeys() {
      return sum([...kinds.values()].flatMap(({ indexes }) => [...indexes.values()].map((index) => index.size)));
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function addTo(keys: Map<string, Set<string>>, { keysOf }: Index, key: string, entry: Entry): void {
  for (const each of keysOf(entry)) {
    const found = keys.get(each);
    if (found === undefined) keys.set(each, new Set([key]));
    else found.add(key);
  }
}

function removeFrom(keys: Map<string, Set<string>>, { keysOf }: Index, key: string, entry: Entry): void {
  for (const each of keysOf(entry)) {
    const found = keys.get(each);
    found?.delete(key);
    if (found?.size === 0) keys.delete(each);
  }
}
