import PQueue from 'p-queue';
import type { Kube } from './client.ts';

/** The queues of objects that are being changed, by client and path. */
const queues = new WeakMap<Pick<Kube, 'patch'>, Map<string, PQueue>>();

/**
 * Runs the changes that this process makes to the object at this path one after the other, so that they do not conflict
 * with each other. `change` gets whether it had to wait: then the object has probably changed since it was read. A
 * change whose signal is aborted while it waits never runs.
 */
export async function oneAtATime<T>(
  kube: Pick<Kube, 'patch'>,
  path: string,
  change: (hasWaited: boolean) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const ofKube = queues.get(kube) ?? new Map<string, PQueue>();
  queues.set(kube, ofKube);
  const queue = ofKube.get(path) ?? new PQueue({ concurrency: 1 });
  ofKube.set(path, queue);
  const hasWaited = isBusy(queue);
  try {
    return await queue.add(() => change(hasWaited), { ...(signal !== undefined && { signal }) });
  } finally {
    if (!isBusy(queue)) ofKube.delete(path);
  }
}

const isBusy = ({ size, pending }: PQueue): boolean => size + pending > 0;
