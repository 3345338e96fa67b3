/** Runs the tasks of one key one after the other, and those of different keys concurrently. */
export interface Serializer {
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Keys with tasks that run or wait. */
  readonly size: number;
}

export function createSerializer(): Serializer {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(key, task) {
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(task, task);
      const settled = mine
        .catch(() => undefined)
        .finally(() => {
          if (last.get(key) === settled) last.delete(key);
        });
      last.set(key, settled);
      return mine;
    },
    get size() {
      return last.size;
    },
  };
}
