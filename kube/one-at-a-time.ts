import PQueue from 'p-queue';
import type { Kube } from './client.ts';

/** Runs the tasks of one key one after the other, and those of different keys concurrently. */
export interface Serializer {
  /** `task` gets whether it had to wait. A task whose signal is aborted while it waits never runs. */
  run<T>(key: string, task: (hasWaited: boolean) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Keys with tasks that run or wait. */
  readonly size: number;
}

export function createSerializer(): Serializer {
  const queues = new Map<string, PQueue>();
  return {
    async run(key, task, signal) {
      const queue = queues.get(key) ?? new PQueue({ concurrency: 1 });
      queues.set(key, queue);
      const hasWaited = isBusy(queue);
      try {
        return await queue.add(() => task(hasWaited), { ...(signal !== undefined && { signal }) });
      } finally {
        if (!isBusy(queue)) queues.delete(key);
      }
    },
    get size() {
      return queues.size;
    },
  };
}

const isBusy = ({ size, pending }: PQueue): boolean => size + pending > 0;

/** Those of objects that are being changed, by client; the keys are paths. */
const serializers = new WeakMap<Pick<Kube, 'patch'>, Serializer>();

/**
 * Runs the changes that this process makes to the object at this path one after the other, so that they do not conflict
 * with each other. A change that had to wait reads the object again: it has probably changed since it was read.
 */
export function oneAtATime<T>(
  kube: Pick<Kube, 'patch'>,
  path: string,
  change: (hasWaited: boolean) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const serializer = serializers.get(kube) ?? createSerializer();
  serializers.set(kube, serializer);
  return serializer.run(path, change, signal);
}
