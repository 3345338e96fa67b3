import { expect, test } from 'vitest';
import { type Look, latenessOf } from './lateness.ts';

const MINUTE_MS = 60_000;
const host = { state: 'registering', since: 0, usualMs: 2 * MINUTE_MS, writtenAt: 0 };
const look = (at: number, isTold: boolean, change: Partial<NonNullable<Look['host']>> = {}): Look => ({
  at,
  isTold,
  host: { ...host, ...change },
});
const { usualMs: _, ...resting } = { ...host, state: 'provisioned' };
const without = (at: number, isTold: boolean, shownSince: number): Look => ({ at, isTold, shownSince });
const atRest = (at: number, isTold: boolean, shownSince: number): Look => ({ at, isTold, host: resting, shownSince });
const lateAfter = (...looks: readonly Look[]): number => {
  const late = latenessOf();
  return looks.map((each) => late(each)).at(-1) ?? 0;
};

test('a cause that is told before the usual time is over is not late', () => {
  expect(lateAfter(look(30_000, false), look(MINUTE_MS, true, { writtenAt: 50_000 }))).toBe(0);
});

test('a wrong cause is late from the end of the usual time, whatever else was told', () => {
  const wrong = [1, 5, 16].map((minutes) => look(minutes * MINUTE_MS, false));
  const right = look(16.5 * MINUTE_MS, true, { writtenAt: 16.2 * MINUTE_MS });
  expect(lateAfter(...wrong)).toBe(14 * MINUTE_MS);
  expect(lateAfter(...wrong, right)).toBe(14.2 * MINUTE_MS);
});

test('a slow look makes nothing late that the host showed in time', () => {
  expect(lateAfter(look(119_000, false), look(180_000, true, { writtenAt: 119_500 }))).toBe(0);
});

test('a state that is entered again after a failure counts from the first time', () => {
  expect(lateAfter(look(MINUTE_MS, false), look(150_000, false, { since: 100_000 }))).toBe(30_000);
});

test('each state has its own usual time, and a state at rest has none', () => {
  const inspecting = { state: 'inspecting', since: 100_000, usualMs: 10 * MINUTE_MS };
  expect(lateAfter(look(MINUTE_MS, false), look(500_000, false, inspecting))).toBe(0);
  expect(lateAfter(atRest(900_000, false, 0), without(900_000, false, 0))).toBe(0);
});

test.each([
  ['a machine without a host', without],
  ['a host at rest', atRest],
])('%s has no usual time: its cause is late from what the objects show', (_, looked) => {
  expect(lateAfter(looked(10_000, false, 9_000), looked(16 * MINUTE_MS, true, 9_000))).toBe(1_000);
  expect(lateAfter(looked(10_000, false, 9_000), looked(16 * MINUTE_MS, false, 9_000))).toBe(0);
  expect(lateAfter(looked(10_000, false, 0), looked(16 * MINUTE_MS, false, 0), looked(16.1 * MINUTE_MS, true, 0))).toBe(
    16 * MINUTE_MS,
  );
});

test('a cause that is told at the first reading is not late', () => {
  expect(lateAfter(atRest(MINUTE_MS, true, 0))).toBe(0);
});

test('a machine is not late while it waits for the host that its cause is about', () => {
  expect(lateAfter(without(MINUTE_MS, false, 0), atRest(2 * MINUTE_MS, true, 1.5 * MINUTE_MS))).toBe(0);
  expect(
    lateAfter(without(MINUTE_MS, false, 0), atRest(2 * MINUTE_MS, false, 70_000), atRest(150_000, true, 70_000)),
  ).toBe(50_000);
});

test('a cause that follows from the end of a busy state is not late from its beginning', () => {
  const busy = look(MINUTE_MS, false, { usualMs: 10 * MINUTE_MS });
  expect(lateAfter(busy, atRest(2 * MINUTE_MS, true, 1.5 * MINUTE_MS))).toBe(0);
});

test('a cause that the objects show later is not late from their creation', () => {
  expect(lateAfter(without(MINUTE_MS, false, 0), without(2 * MINUTE_MS, true, 1.5 * MINUTE_MS))).toBe(0);
});
