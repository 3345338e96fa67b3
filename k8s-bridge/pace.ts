import { setTimeout as sleep } from 'node:timers/promises';

/** Hands out the items in order, so many a second, until done or stopped. */
export async function pace<T>(
  items: readonly T[],
  perSecond: number,
  take: (item: T) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const item of items) {
    if (signal.aborted) return;
    take(item);
    await sleep(1000 / perSecond, undefined, { signal }).catch(() => undefined);
  }
}
