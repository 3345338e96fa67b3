import { describe, expect, test } from 'vitest';
import { createQueue } from './queue.ts';

/** A queue whose work waits until the test continues it, in the order of its start. */
function aQueue({
  concurrency = 10,
  failing = 0,
  restMs,
}: {
  concurrency?: number;
  failing?: number;
  restMs?: number;
} = {}) {
  const began: string[] = [];
  const gates: (() => void)[] = [];
  const failures: unknown[] = [];
  let toFail = failing;
  const queue = createQueue({
    concurrency,
    backoff: { firstMs: 1, mostMs: 4 },
    onFailure: (key, error, retryInMs) => failures.push([key, String(error), retryInMs]),
  });
  queue.serve(async (key) => {
    began.push(key);
    await new Promise<void>((resolve) => gates.push(resolve));
    if (toFail-- > 0) throw new Error(`no ${key}`);
    return restMs;
  });
  return { queue, began, failures, letGo: () => gates.shift()?.() };
}

describe('a queue of keys', () => {
  test('makes one look of many wishes', async () => {
    const { queue, began, letGo } = aQueue({ concurrency: 1 });
    queue.add('first');
    await expect.poll(() => began).toEqual(['first']);
    for (let times = 0; times < 5; times++) queue.add('second');
    letGo();
    await expect.poll(() => began).toEqual(['first', 'second']);
    letGo();
    await expect.poll(() => queue.size).toBe(0);
    expect(began).toEqual(['first', 'second']);
  });

  test('handles a key again that was queued while it was handled, afterwards and not concurrently', async () => {
    const { queue, began, letGo } = aQueue();
    queue.add('a');
    await expect.poll(() => began).toEqual(['a']);
    queue.add('a');
    queue.add('b');
    await expect.poll(() => began).toEqual(['a', 'b']);
    letGo();
    await expect.poll(() => began).toEqual(['a', 'b', 'a']);
  });

  test('comes back to what failed, later each time', async () => {
    const { queue, began, failures, letGo } = aQueue({ failing: 4 });
    queue.add('a');
    for (let times = 1; times <= 5; times++) {
      await expect.poll(() => began).toHaveLength(times);
      letGo();
    }
    await expect.poll(() => queue.size).toBe(0);
    expect(failures).toEqual([
      ['a', 'Error: no a', 1],
      ['a', 'Error: no a', 2],
      ['a', 'Error: no a', 4],
      ['a', 'Error: no a', 4],
    ]);
  });

  test('lets a key rest when its work asks for that', async () => {
    const { queue, began, letGo } = aQueue({ restMs: 50 });
    queue.add('a');
    await expect.poll(() => began).toEqual(['a']);
    const restsFrom = Date.now();
    letGo();
    queue.add('a');
    await expect.poll(() => began).toEqual(['a', 'a']);
    expect(Date.now() - restsFrom).toBeGreaterThanOrEqual(49);
  });

  test('handles no more keys at a time than configured', async () => {
    const { queue, began, letGo } = aQueue({ concurrency: 2 });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await expect.poll(() => began).toEqual(['a', 'b']);
    letGo();
    await expect.poll(() => began).toEqual(['a', 'b', 'c']);
  });

  test('begins nothing once it was stopped', async () => {
    const { queue, began, letGo } = aQueue({ concurrency: 1 });
    queue.add('a');
    queue.add('b');
    await expect.poll(() => began).toEqual(['a']);
    const stopped = queue.stop();
    letGo();
    await stopped;
    queue.add('c');
    expect(began).toEqual(['a']);
  });

  test('keeps nothing of 2,000 keys of which most failed at first', async () => {
    const failed = new Set<string>();
    const queue = createQueue({ concurrency: 20, onFailure: () => undefined, backoff: { firstMs: 1, mostMs: 1 } });
    for (let at = 0; at < 2_000; at++) queue.add(`k${at}`);
    queue.serve(async (key) => {
      if (key.endsWith('1') || failed.has(key)) return 1;
      failed.add(key);
      throw new Error('not yet');
    });
    expect(queue.kept).toBe(2_000);
    await expect.poll(() => queue.kept).toBe(0);
    expect(failed.size).toBe(1_800);
  });

  test('lets keys wait until there is somebody to look at them', async () => {
    const queue = createQueue({ concurrency: 1, onFailure: () => undefined });
    const looks: string[] = [];
    for (const key of ['a', 'b', 'a']) queue.add(key);
    queue.serve(async (key) => void looks.push(key));
    await expect.poll(() => queue.size).toBe(0);
    expect(looks).toEqual(['a', 'b']);
  });
});
