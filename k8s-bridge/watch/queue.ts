/** Handles one key. Throws to ask for a retry; returns how long (ms) the next call may wait. */
export type Look = (key: string) => Promise<number | void>;

export interface KeyedQueue {
  /** Queues the key; several calls before it is processed are one. */
  readonly add: (key: string) => void;
  /** Queues the key after this time (ms), unless it is handled earlier. */
  addLater(key: string, inMs: number): void;
  /** Starts to handle keys; until then they wait. A key is never handled twice at the same time. */
  serve(look: Look): void;
  /** Keys that wait, are being processed, or wait for a retry. */
  readonly size: number;
  /** Keys of which anything is kept: those of `size`, and keys that rest or have failed. */
  readonly kept: number;
  /** Accepts nothing new and resolves when running work has ended. */
  stop(): Promise<void>;
}

export interface QueueOptions {
  readonly concurrency: number;
  readonly onFailure: (key: string, error: unknown, retryInMs: number) => void;
  readonly watcher?: QueueWatcher;
  readonly backoff?: { readonly firstMs: number; readonly mostMs: number };
}

/** Called for each transition of a key, for metrics. */
export interface QueueWatcher {
  /** The key was queued. */
  added(key: string): void;
  /** The processing of the key has started. */
  taken(key: string): void;
  ended(key: string, result: 'success' | 'error', error?: unknown): void;
  /** The key will be queued again later. */
  putOff(key: string): void;
}

const BACKOFF = { firstMs: 200, mostMs: 15_000 };

/**
 * A queue of keys, not of events: bursts become one entry, one key is processed serially, failures are retried later.
 */
export function createQueue({ concurrency, onFailure, watcher, backoff = BACKOFF }: QueueOptions): KeyedQueue {
  const waiting = new Set<string>();
  const busy = new Map<string, Promise<void>>();
  /** Failed keys, with their retry. */
  const later = new Map<string, NodeJS.Timeout>();
  /** Keys that must not be processed before a time. */
  const resting = new Map<string, NodeJS.Timeout>();
  const failures = new Map<string, number>();
  let stopped = false;
  let work: Look | undefined;

  const attempt = async (key: string, look: Look): Promise<void> => {
    try {
      const restMs = await look(key);
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
      if (work === undefined || stopped || busy.size >= concurrency) return;
      if (busy.has(key) || resting.has(key)) continue;
      waiting.delete(key);
      watcher?.taken(key);
      busy.set(
        key,
        Promise.resolve(work)
          .then((look) => attempt(key, look))
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
    addLater(key, inMs) {
      if (stopped || waiting.has(key) || later.has(key)) return;
      later.set(key, setTimeout(add, inMs, key).unref());
    },
    serve(look) {
      work = look;
      pump();
    },
    get size() {
      return waiting.size + busy.size + later.size;
    },
    get kept() {
      return new Set([waiting, busy, later, resting, failures].flatMap((each) => [...each.keys()])).size;
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
