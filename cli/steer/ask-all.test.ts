import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DONE, REFUSED, UNREACHABLE } from '../out.ts';
import { askAll, type ExitCode } from './ask-all.ts';

const NAMES = Array.from({ length: 1_000 }, (_, index) => `host-${index}`);
const ANSWERS: Readonly<Record<string, ExitCode>> = { 'host-3': REFUSED, 'host-7': UNREACHABLE, 'host-8': REFUSED };

test('a thousand objects are asked, so many at a time, whatever some of them answer, and the progress is told', async () => {
  const asked: string[] = [];
  const told: string[] = [];
  let running = 0;
  let most = 0;
  const ask = async (name: string): Promise<ExitCode> => {
    asked.push(name);
    running += 1;
    most = Math.max(most, running);
    await setImmediate();
    running -= 1;
    return ANSWERS[name] ?? DONE;
  };
  expect(await askAll(NAMES, { atOnce: 8, ask, tell: (line) => told.push(line) })).toBe(UNREACHABLE);
  expect(asked).toEqual(NAMES);
  expect(most).toBe(8);
  expect(told).toHaveLength(101);
  expect(told.slice(0, 2)).toEqual(['10 of 1000', '20 of 1000']);
  expect(told.slice(-2)).toEqual(['1000 of 1000', '997 done, 2 refused, 1 could not be asked']);
});

test('with one object there is no progress to tell', async () => {
  const told: string[] = [];
  expect(await askAll(['host-3'], { atOnce: 8, ask: async () => REFUSED, tell: (line) => told.push(line) })).toBe(
    REFUSED,
  );
  expect(told).toEqual([]);
});
