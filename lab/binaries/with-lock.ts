import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from '../supervisor/lock.ts';

/** One process gets a thing; the others wait and find it in the cache. */
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
    tell(`waiting for process ${lock.by.pid}, which is getting it`);
    await sleep(250);
  }
}
