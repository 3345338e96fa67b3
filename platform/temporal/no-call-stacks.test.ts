import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';

/** Prints how many promises a hook sees, in a worker thread, as the SDK sets one. */
const COUNT = `
  const { Worker } = require('node:worker_threads');
  new Worker(
    "let seen = 0; require('node:v8').promiseHooks.createHook({ init: () => seen++ }); Promise.resolve(); console.log(seen > 0)",
    { eval: true },
  );
`;

test('worker threads of a process with this module preloaded set no hook on promises, others and those with TEMPORAL_SDK_UNCHANGED do', async () => {
  const file = fileURLToPath(new URL('./no-call-stacks.ts', import.meta.url));
  const { stdout: hooked } = await execa(process.execPath, ['--eval', COUNT]);
  const { stdout: unhooked } = await execa(process.execPath, [`--require=${file}`, '--eval', COUNT]);
  const env = { TEMPORAL_SDK_UNCHANGED: 'true' };
  const { stdout: unchanged } = await execa(process.execPath, [`--require=${file}`, '--eval', COUNT], { env });
  expect({ hooked, unhooked, unchanged }).toEqual({ hooked: 'true', unhooked: 'false', unchanged: 'true' });
});
