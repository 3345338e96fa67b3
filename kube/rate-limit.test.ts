import { describe, expect, test } from 'vitest';
import { createTurns, turnsOf } from './rate-limit.ts';

/** When each of the callers, all at once or after a pause, gets its turn. */
async function turnsAt(perSecond: number, burst: number, asks: readonly number[]): Promise<readonly number[]> {
  let now = 0;
  let waited = 0;
  const turn = createTurns(perSecond, burst, { now: () => now, sleep: async (ms) => void (waited = ms) });
  const at: number[] = [];
  for (const ask of asks) {
    now = ask;
    waited = 0;
    await turn();
    at.push(ask + waited);
  }
  return at;
}

describe('turns', () => {
  test('let a burst go at once, and then so many a second', async () => {
    expect(await turnsAt(10, 3, [0, 0, 0, 0, 0])).toEqual([0, 0, 0, 100, 200]);
  });
  test('let a burst go again after a rest', async () => {
    expect(await turnsAt(10, 2, [0, 0, 1_000, 1_000, 1_000])).toEqual([0, 0, 1_000, 1_000, 1_100]);
  });
  test('are not saved up beyond a burst', async () => {
    expect(await turnsAt(10, 1, [60_000, 60_000])).toEqual([60_000, 60_100]);
  });
  test('end when nobody waits for them any more', async () => {
    const turn = createTurns(0.001, 1);
    await turn();
    const cancelled = new AbortController();
    const waiting = turn(cancelled.signal);
    cancelled.abort(new Error('the activity was cancelled'));
    await expect(waiting).rejects.toThrow('aborted');
  });
  test('do not wait without a limit', () => {
    expect(turnsOf({ KUBE_API_QPS: 0, KUBE_API_BURST: 30 })).toBeUndefined();
    expect(turnsOf({ KUBE_API_QPS: 20, KUBE_API_BURST: 30 })).toBeTypeOf('function');
  });
});
