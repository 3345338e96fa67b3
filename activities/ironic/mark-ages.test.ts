import { expect, test } from 'vitest';
import type { Mark } from '../../domain/ironic/mark.ts';
import { createMarkAges } from './mark-ages.ts';

const PATIENCE = { lockDeadlineMs: 1_800_000 };
const NOW = Date.parse('2026-01-01T00:00:00Z');
const YEAR = 365 * 86_400_000;
const markOf = (msAgo: number): Mark => ({
  request: 'deleted',
  nodeId: 'n',
  uid: 'uid-1',
  at: new Date(NOW - msAgo).toISOString(),
});

/** The age of a mark as it is first seen, and a minute later, while the wall clock jumps by a year. */
function ages(mark: Mark): readonly number[] {
  const clocks = { wall: NOW, monotonic: 5_000 };
  const ageOf = createMarkAges(PATIENCE, { wall: () => clocks.wall, monotonic: () => clocks.monotonic });
  const first = ageOf(mark);
  clocks.monotonic += 60_000;
  clocks.wall += YEAR;
  return [first, ageOf(mark)];
}

test('a mark is as old as it says when it is first seen, and then as the monotonic clock says', () => {
  expect(ages(markOf(90_000))).toEqual([90_000, 150_000]);
});

test.each<[string, number]>([
  ['a mark from a year ahead, so that the clock that wrote it is wrong', -YEAR],
  ['a mark that is a year old, so that the clock of this process may be wrong', YEAR],
])('%s, counts from the moment when it is first seen', (_, msAgo) => {
  expect(ages(markOf(msAgo))).toEqual([0, 60_000]);
});
