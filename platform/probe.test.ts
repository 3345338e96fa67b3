import { describe, expect, test } from 'vitest';
import { createProbe } from './probe.ts';

describe('a server that a process needs', () => {
  test('is not missing when it answers', async () => {
    expect(await createProbe('Ironic', () => Promise.resolve('hello'))()).toEqual([]);
  });

  test('is missing with the reason when it refuses', async () => {
    const probe = createProbe('Ironic', () => Promise.reject(new Error('nobody is there')));
    expect(await probe()).toEqual(['Ironic does not answer: nobody is there']);
  });

  test('is missing when it is silent, and the request ends', async () => {
    let ended = false;
    const silent = (signal: AbortSignal): Promise<never> =>
      new Promise(() => signal.addEventListener('abort', () => (ended = true)));
    expect(await createProbe('Temporal', silent, { deadlineMs: 20 })()).toEqual([
      'Temporal does not answer within 0.02 s',
    ]);
    expect(ended).toBe(true);
  });

  test('is asked once by probes that come at short intervals, and again later', async () => {
    let asked = 0;
    let now = 0;
    const ask = (): Promise<void> => (asked++ === 0 ? Promise.reject(new Error('too early')) : Promise.resolve());
    const probe = createProbe('Temporal', ask, { keptMs: 5_000, now: () => now });
    expect([await probe(), await probe()]).toEqual(Array(2).fill(['Temporal does not answer: too early']));
    expect(asked).toBe(1);
    now = 5_000;
    expect(await probe()).toEqual([]);
    expect(asked).toBe(2);
  });
});
