import { afterEach, describe, expect, test } from 'vitest';
import { messageOf } from '../../../domain/message-of.ts';
import { createLane, type Lane, type LaneOptions } from './lane.ts';
import type { Reply } from './reviews.ts';

/** A thread in which every mistake happens that a review can make. */
const PROGRAM = `
  import { parentPort, threadId } from 'node:worker_threads';
  const answers = {
    '/good': () => ({ kind: 'answered', reply: { body: String(threadId) } }),
    '/wrong': () => ({ kind: 'failed', error: new Error('a bug') }),
    '/slow': () => { for (;;); },
    '/ending': () => process.exit(1),
    '/throwing': () => { throw new Error('a crash'); },
    '/growing': () => { const all = []; for (;;) all.push(new Array(1_000).fill(Math.random())); },
  };
  parentPort.on('message', ({ path }) => parentPort.postMessage(answers[path]()));
  parentPort.postMessage({ kind: 'ready' });
`;
const program = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`);

let lane: Lane;
afterEach(() => lane.close());

const open = (change: Partial<LaneOptions> = {}): void => {
  lane = createLane({
    program,
    kinds: { fakeHardware: false },
    timeMs: 60_000,
    startMs: 60_000,
    heapMb: 32,
    ...change,
  });
};
const never = new AbortController().signal;
const ask = (path: string, signal = never): Promise<Reply> => lane.answer({ path, body: new Uint8Array(1) }, signal);

describe('a thread that answers reviews', () => {
  test('is the same for all, also after a review that failed', async () => {
    open();
    const first = await ask('/good');
    await expect(ask('/wrong')).rejects.toThrow('a bug');
    expect(await ask('/good')).toEqual(first);
  });

  test.each(['/ending', '/throwing', '/growing'])(
    'is replaced after %s, and reviews that waited are answered',
    async (path) => {
      open();
      const [failed, waited] = await Promise.allSettled([ask(path), ask('/good')]);
      expect(failed).toMatchObject({ status: 'rejected', reason: { status: 503 } });
      expect(waited).toMatchObject({ status: 'fulfilled', value: { body: expect.stringMatching(/^\d+$/) as unknown } });
    },
  );

  test('is replaced when a review takes too long', async () => {
    open({ timeMs: 500 });
    await expect(ask('/slow')).rejects.toThrow('the thread ended before its answer');
    expect((await ask('/good')).body).toMatch(/^\d+$/);
  });

  test.each([
    ['ends', 'process.exit(1)'],
    ['never is ready', 'setInterval(() => undefined, 1_000)'],
  ])('is no mistake of a review when it %s at its start', async (_, code) => {
    open({ program: new URL(`data:text/javascript,${code}`), startMs: 500 });
    await expect(ask('/good')).rejects.toMatchObject({ status: 503 });
  });

  test('does not begin a review that nobody waits for any more', async () => {
    open();
    const gone = new AbortController();
    const waiting = ask('/ending', gone.signal).catch(messageOf);
    gone.abort(new Error('too late'));
    const first = await ask('/good');
    expect(await waiting).toBe('too late');
    expect(await ask('/good')).toEqual(first);
  });

  test('ends without work, and starts again for the next review', async () => {
    open({ endAfterMs: 1 });
    const first = await ask('/good');
    await expect.poll(() => ask('/good')).not.toEqual(first);
  });
});
