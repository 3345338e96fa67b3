import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setClock, withClocks } from './clock.ts';

const YEAR_MS = 365 * 86_400_000;
const HOUR_MS = 3_600_000;
/** The date of its main thread and of a worker thread. */
const PROGRAM = `
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
if (isMainThread) {
  const thread = new Worker(new URL(import.meta.url));
  thread.once('message', (at) => console.log(JSON.stringify([Date.now(), new Date().getTime(), at, new Date(5).getTime()])));
} else parentPort.postMessage(Date.now());
`;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-clock-'));
  for (const program of ['workers', 'k8s-bridge']) {
    await mkdir(join(dir, program));
    await writeFile(join(dir, program, 'main.mjs'), PROGRAM);
  }
});
afterEach(() => rm(dir, { recursive: true }));

/** By how many hours the dates of the program are ahead, and a date that it was given. */
async function datesOf(program: string): Promise<readonly number[]> {
  const { stdout } = await execa(process.execPath, [join(dir, program, 'main.mjs')], {
    env: withClocks(join(dir, 'clocks')),
  });
  const [now = 0, made = 0, thread = 0, given = 0] = JSON.parse(stdout) as readonly number[];
  return [...[now, made, thread].map((at) => Math.round((at - Date.now()) / HOUR_MS) + 0), given];
}

test('a process of the lab has a clock that is a year ahead, in all its threads, and the other one the right clock', async () => {
  await setClock(join(dir, 'clocks'), 'workers', YEAR_MS);
  expect(await datesOf('workers')).toEqual([8_760, 8_760, 8_760, 5]);
  expect(await datesOf('k8s-bridge')).toEqual([0, 0, 0, 5]);
  await setClock(join(dir, 'clocks'), 'workers', 0);
  expect(await datesOf('workers')).toEqual([0, 0, 0, 5]);
});
