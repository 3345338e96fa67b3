import { expect, test } from 'vitest';
import { holdReason, isHeld } from './hold.ts';

test.each([
  ['a message of a hold', JSON.stringify({ by: 'ada', reason: holdReason('power work') }), true],
  ['an annotation of a person that says so', 'hold: power work', true],
  ['a quarantine for another reason', JSON.stringify({ by: 'bob', reason: 'the fan is loud' }), false],
  ['a reason that only has the word in it', 'on hold: the fan', false],
])('a host is held by %s: %#', (_, value, held) => {
  expect(isHeld({ 'temper/quarantine': value })).toBe(held);
});

test('a host without a quarantine is not held', () => {
  expect(isHeld({})).toBe(false);
});
