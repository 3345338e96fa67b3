import type { FollowedKind } from './kinds.ts';
import { type Kept, keyOf } from './reflector.ts';

/** An object as the API server holds it, without what nobody reads; known no further than by its identity. */
export interface Entry extends Kept {
  readonly object: unknown;
}

/** Finds objects of a kind by something that they say, for example by the Secrets that they name. Keep it as a constant. */
export interface Index {
  readonly kind: FollowedKind;
  readonly keysOf: (entry: Entry) => Iterable<string>;
}

/** The objects that are known at this moment. Empty for a kind that is not followed or whose CRD is not installed. */
export interface Stores {
  get(kind: FollowedKind, key: string): Entry | undefined;
  values(kind: FollowedKind): Iterable<Entry>;
  /** Those that the index has under this key. */
  having(index: Index, key: string): Iterable<Entry>;
}

/** Something came (no `before`), changed, or went (no `now`). `key` is `<namespace>/<name>`. */
export interface Change {
  readonly kind: FollowedKind;
  readonly key: string;
  readonly now: Entry | undefined;
  readonly before: Entry | undefined;
}

export interface Store extends Stores {
  /** Called for each change from now on. */
  onChange(listener: (change: Change) => void): void;
  put(kind: FollowedKind, entry: Entry): void;
  /** `last`: as it was when it went, if that is known better. */
  remove(kind: FollowedKind, key: string, last?: Entry): void;
  /** All that there was at the start is known. */
  readonly isComplete: boolean;
  markComplete(): void;
}

interface KindStore {
  readonly entries: Map<string, Entry>;
  readonly indexes: Map<Index, Map<string, Set<string>>>;
}

/** Objects of many kinds. An index is built when it is first asked and kept up to date from then on. */
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
  };
}

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
