import { messageOf } from '../../domain/message-of.ts';
import type { Around } from '../around.ts';
import { measureQueue } from './measure-queue.ts';
import { createQueue, type KeyedQueue } from './queue.ts';

/** A queue for each kind with workflows. */
export interface Queues {
  of(kind: string): KeyedQueue;
  readonly look: (kind: string, key: string) => void;
  /** Keys of which anything is kept, in all queues. */
  readonly kept: number;
  stop(): Promise<void>;
}

interface QueuesDeps extends Pick<Around, 'log' | 'metrics'> {
  readonly kinds: readonly string[];
  /** Number of objects of a kind that are reconciled at the same time. */
  readonly concurrency: number;
}

export function createQueues({ kinds, concurrency, log, metrics }: QueuesDeps): Queues {
  const queues = new Map(
    kinds.map((kind) => [
      kind,
      createQueue({
        concurrency,
        watcher: measureQueue(metrics, kind.toLowerCase(), concurrency),
        onFailure: (object, error, retryInMs) =>
          log.warn({ kind, object, error: messageOf(error), retryInMs }, 'object could not be reconciled'),
      }),
    ]),
  );
  const of = (kind: string): KeyedQueue => {
    const queue = queues.get(kind);
    if (queue === undefined) throw new Error(`there is no queue for kind ${kind}`);
    return queue;
  };
  return {
    of,
    look: (kind, key) => of(kind).add(key),
    get kept() {
      return [...queues.values()].reduce((sum, queue) => sum + queue.kept, 0);
    },
    stop: async () => void (await Promise.all([...queues.values()].map((queue) => queue.stop()))),
  };
}
