import { expect, test } from 'vitest';
import { compared } from '../compared.ts';
import { secondsIn } from './measure.ts';
import { startsTargets } from './report.ts';

const starts = (...milliseconds: readonly number[]) => milliseconds.map((each) => new Map([['bridge', each]]));

test.each([
  { here: [500, 600, 900], other: [900, 1000, 1100], measured: '0.60 times', met: true },
  { here: [500, 610, 620], other: [900, 1000, 2000], measured: '0.61 times', met: false },
])('a start may cost 0.6 of the other checkout, by the medians: $measured', ({ here, other, measured, met }) => {
  expect(startsTargets(compared(starts(...here), starts(...other)))).toMatchObject([{ measured, met }]);
});

test('a command of temper has no target', () => {
  const help = [new Map([['temper --help', 1]])];
  expect(startsTargets(compared(help, help))).toEqual([]);
});

test('the times of a shell are added', () => {
  expect(secondsIn('1m2.5s 0m0.25s')).toBe(62.75);
});
