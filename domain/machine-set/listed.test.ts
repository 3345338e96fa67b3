import { expect, test } from 'vitest';
import type { OwnedMachine } from './snapshot.ts';
import { listedOf, surplusOf } from './surplus.ts';

const aMachine = (at: number, change: Partial<OwnedMachine> = {}): OwnedMachine => ({
  name: `machine-${at}`,
  uid: `uid-${at}`,
  creationTimestamp: new Date(at * 1_000).toISOString(),
  deleting: false,
  marked: false,
  failed: false,
  hasNode: true,
  isReady: true,
  isLabelled: true,
  ...change,
});

test('of very many Machines, those that go first and the newest are listed, and the others are counted', () => {
  const machines = Array.from({ length: 3_000 }, (_, at) =>
    aMachine(at, { deleting: at < 5, marked: at === 1_500, isReady: at !== 700, isLabelled: at !== 800 }),
  );
  const { machines: listed, more } = listedOf(machines, 'Oldest');
  const first = surplusOf(
    machines.filter(({ deleting }) => !deleting),
    'Oldest',
  );
  expect(surplusOf(listed, 'Oldest').slice(0, 200)).toEqual(first.slice(0, 200));
  expect(listed).toEqual(expect.arrayContaining(machines.slice(-200)));
  expect(more).toEqual({ present: 3_000 - 5 - 400, deleting: 5, labelled: 2_599, ready: 2_599 });
});

test('of some hundred Machines all are listed', () => {
  const machines = Array.from({ length: 400 }, (_, at) => aMachine(at));
  expect(listedOf(machines, 'Random').machines).toHaveLength(400);
});
