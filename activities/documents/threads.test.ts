import { describe, expect, test } from 'vitest';
import type { ContentMap } from '../../domain/data/content.ts';
import { parse } from './parse.ts';
import { createDocumentReader, createYamlWriter, type DocumentThreadOptions } from './threads.ts';
import { toYaml } from './yaml.ts';

/** A thread in which every mistake happens that a text can make. */
const PROGRAM = `
  import { parentPort, threadId } from 'node:worker_threads';
  const answers = {
    good: () => ({ kind: 'data', data: { threadId } }),
    slow: () => { for (;;); },
    ending: () => process.exit(1),
    throwing: () => { throw new Error('a crash'); },
    growing: () => { const all = []; for (;;) all.push(new Array(1_000).fill(Math.random())); },
  };
  parentPort.on('message', (text) => parentPort.postMessage(answers[text]()));
`;
const program = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`);
const broken = (options: DocumentThreadOptions = {}) => createDocumentReader({ program, ...options });

/** Microseconds of CPU time that this thread spends on it. */
async function costOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

const problem = (reason: string) => ({ kind: 'problem', problem: { reason } });

describe('a thread that reads documents', () => {
  test('reads YAML and JSON', async () => {
    const read = createDocumentReader();
    const parsed = await read('metal', 'on: yes\n__proto__: {a: 1}');
    expect(JSON.stringify(parsed)).toBe('{"kind":"data","data":{"true":true,"__proto__":{"a":1}}}');
    expect(await read('metal', 'a: [')).toMatchObject({ kind: 'problem', problem: { line: 1 } });
  });

  test('is the same for the next text', async () => {
    const read = broken();
    expect(await read('metal', 'good')).toEqual(await read('metal', 'good'));
  });

  test.each([
    ['takes too long', 'slow', { milliseconds: 300 }, 'it takes more than 300 ms'],
    ['needs too much memory', 'growing', { heapMb: 32 }, 'it takes more memory than it may'],
  ])('ends with a text that %s, which is a problem of that text', async (_, text, options, reason) => {
    const read = broken(options);
    expect(await read('metal', text)).toEqual(problem(reason));
  });

  test.each(['ending', 'throwing'])(
    'that fails by itself says nothing of the text, and is replaced: %s',
    async (text) => {
      const read = broken();
      await expect(read('metal', text)).rejects.toThrow(/the thread ended before its answer|a crash/);
      expect(await read('metal', 'good')).toMatchObject({ kind: 'data' });
    },
  );

  test('serves others while all texts of one tenant take too long', async () => {
    const read = broken({ milliseconds: 60_000 });
    const order: string[] = [];
    for (let text = 0; text < 5; text++) void read('slow', 'slow');
    await Promise.all(
      ['a', 'b', 'a', 'c'].map(async (tenant) => {
        await read(tenant, 'good');
        order.push(tenant);
      }),
    );
    expect(order.toSorted()).toEqual(['a', 'a', 'b', 'c']);
  });

  test('does not begin with a text that nobody waits for any more', async () => {
    const read = broken({ milliseconds: 5_000 });
    const first = read('metal', 'slow');
    const cancelled = new AbortController();
    const second = read('metal', 'ending', cancelled.signal);
    cancelled.abort(new Error('the activity was cancelled'));
    await expect(second).rejects.toThrow('the activity was cancelled');
    await expect(read('metal', 'good', cancelled.signal)).rejects.toThrow('the activity was cancelled');
    const third = read('metal', 'good');
    expect(await first).toEqual(problem('it takes more than 5000 ms'));
    expect(await third).toMatchObject({ kind: 'data' });
  });

  test('costs the thread of the caller next to nothing', async () => {
    const read = createDocumentReader();
    const text = Array.from({ length: 24_000 }, (_, index) => `k${index}: [value]\n`).join('');
    await read('metal', 'a: 1');
    const here = await costOf(() => parse(text));
    expect(await costOf(() => read('metal', text))).toBeLessThan(here / 2);
  });
});

describe('a thread that writes YAML', () => {
  const content = (count: number): string =>
    JSON.stringify({ networks: Array.from({ length: count }, (_, at) => ({ id: `${at}`, up: 'yes' })) });

  test('writes it, and keeps every key', async () => {
    const write = createYamlWriter();
    expect(await write('metal', content(1))).toEqual({ kind: 'yaml', text: 'networks:\n- id: "0"\n  up: "yes"\n' });
    expect(await write('metal', '{"__proto__":1}')).toEqual({ kind: 'yaml', text: '__proto__: 1\n' });
  });

  test('costs the thread of the caller next to nothing', async () => {
    const write = createYamlWriter();
    await write('metal', '{}');
    const most = content(9_000);
    const here = await costOf(() => toYaml(JSON.parse(most) as ContentMap));
    expect(await costOf(() => write('metal', most))).toBeLessThan(here / 2);
  });
});
