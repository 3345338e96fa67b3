export interface KeyedQueue {
  /** Asks for one more look at the key; any number of calls before that look are one. */
  add(key: string): void;
  /** Keys that wait, are worked on, or wait for another attempt. */
  readonly size: number;
  /** Takes nothing new and resolves once what runs has ended. */
  stop(): Promise<void>;
}

export interface QueueOptions {
  readonly concurrency: number;
  /** Never runs twice at a time for one key. Throwing asks for another attempt; a number puts the next look off so long (ms). */
  readonly work: (key: string) => Promise<number | void>;
  readonly onFailure: (key: string, error: unknown, retryInMs: number) => void;
  readonly watcher?: QueueWatcher;
  readonly backoff?: { readonly firstMs: number; readonly mostMs: number };
}

/** Is told what becomes of each key; counts, and nothing else. */
export interface QueueWatcher {
  /** It came to wait. */
  added(key: string): void;
  /** It waits no longer and is being looked at. */
  taken(key: string): void;
  ended(key: string, result: 'success' | 'error', error?: unknown): void;
  /** It will come to wait again later. */
  putOff(key: string): void;
}

const BACKOFF = { firstMs: 200, mostMs: 15_000 };

/** A queue of keys, not of events: bursts collapse, one key is worked on serially, failures come back later. */
export function createQueue({ concurrency, work, onFailure, watcher, backoff = BACKOFF }: QueueOptions): KeyedQueue {
  const waiting = new Set<string>();
  const busy = new Map<string, Promise<void>>();
  /** Failed, and to be looked at again then or when asked to. */
  const later = new Map<string, NodeJS.Timeout>();
  /** Not to be looked at before then. */
  const resting = new Map<string, NodeJS.Timeout>();
  const failures = new Map<string, number>();
  let stopped = false;

  const attempt = async (key: string): Promise<void> => {
    try {
      const restMs = await work(key);
      failures.delete(key);
      watcher?.ended(key, 'success');
      if (typeof restMs === 'number' && !stopped) resting.set(key, setTimeout(rested, restMs, key));
    } catch (error) {
      watcher?.ended(key, 'error', error);
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      const delay = Math.min(backoff.firstMs * 2 ** count, backoff.mostMs);
      onFailure(key, error, delay);
      if (stopped || waiting.has(key)) return;
      watcher?.putOff(key);
      later.set(key, setTimeout(add, delay, key));
    }
  };
  const pump = (): void => {
    for (const key of waiting) {
      if (stopped || busy.size >= concurrency) return;
      if (busy.has(key) || resting.has(key)) continue;
      waiting.delete(key);
      watcher?.taken(key);
      busy.set(
        key,
        Promise.resolve(key)
          .then(attempt)
          .finally(() => {
            busy.delete(key);
            pump();
          }),
      );
    }
  };
  const rested = (key: string): void => {
    resting.delete(key);
    pump();
  };
  const add = (key: string): void => {
    if (stopped) return;
    clearTimeout(later.get(key));
    later.delete(key);
    if (!waiting.has(key)) watcher?.added(key);
    waiting.add(key);
    pump();
  };

  return {
    add,
    get size() {
      return waiting.size + busy.size + later.size;
    },
    async stop() {
      stopped = true;
      for (const timer of [...later.values(), ...resting.values()]) clearTimeout(timer);
      later.clear();
      resting.clear();
      waiting.clear();
      await Promise.all(busy.values());
    },
  };
}
