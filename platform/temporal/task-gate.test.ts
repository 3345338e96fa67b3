import { expect, test } from 'vitest';
import { createTaskGate } from './task-gate.ts';

const forever = new AbortController().signal;

test('a gate lets everybody pass until it is closed, which each of them learns', async () => {
  const gate = createTaskGate();
  const passed = await Promise.all([gate.pass(forever), gate.pass(forever)]);
  gate.close();
  expect(passed.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('a closed gate is passed once it is open, however often it was opened before', async () => {
  const gate = createTaskGate();
  gate.close();
  const waiting = gate.pass(forever);
  gate.open();
  gate.open();
  expect((await waiting).aborted).toBe(false);
  gate.close();
  const again = gate.pass(forever);
  gate.open();
  gate.close();
  gate.open();
  expect((await again).aborted).toBe(false);
});

test('who waits before a closed gate leaves when the process ends', async () => {
  const gate = createTaskGate();
  gate.close();
  const ending = new AbortController();
  const waiting = gate.pass(ending.signal);
  ending.abort();
  await expect(waiting).rejects.toThrow('aborted');
});
