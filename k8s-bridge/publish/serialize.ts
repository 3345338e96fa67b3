/** Runs the tasks of one key one after the other, and those of different keys concurrently. */
export type Serializer = <T>(key: string, run: () => Promise<T>) => Promise<T>;

export function createSerializer(): Serializer {
  const last = new Map<string, Promise<unknown>>();
  return (key, run) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(run, run);
    const settled = mine
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === settled) last.delete(key);
      });
    last.set(key, settled);
    return mine;
  };
}
