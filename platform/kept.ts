/** Values by key, each forgotten when it was not used for a while: clusters come and go. */
export interface Kept<Value> {
  /** Counts as a use. */
  get(key: string): Value | undefined;
  put(key: string, value: Value): void;
  delete(key: string): void;
  clear(): void;
  readonly size: number;
}

/** `onForgotten` gets each value once: replaced, deleted, cleared, or not used for this long. */
export function createKept<Value>(forMs: number, onForgotten: (value: Value) => void = () => undefined): Kept<Value> {
  const kept = new Map<string, { readonly value: Value; readonly timer: NodeJS.Timeout }>();
  const forget = (key: string): void => {
    const known = kept.get(key);
    if (known === undefined) return;
    clearTimeout(known.timer);
    kept.delete(key);
    onForgotten(known.value);
  };
  return {
    get(key) {
      const known = kept.get(key);
      known?.timer.refresh();
      return known?.value;
    },
    put(key, value) {
      forget(key);
      kept.set(key, { value, timer: setTimeout(() => forget(key), forMs).unref() });
    },
    delete: forget,
    clear() {
      for (const key of kept.keys()) forget(key);
    },
    get size() {
      return kept.size;
    },
  };
}
