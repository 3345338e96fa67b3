import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from './lock.ts';

/** Runs `work` in one process at a time: the first fills a cache, the others wait and find it filled. */
export async function withLock<T>(path: string, tell: (detail: string) => void, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const lock = tryLock(path);
    if (lock.kind === 'held') {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    tell(`waiting for process ${lock.by.pid}, which prepares it`);
    await sleep(250);
  }
}
