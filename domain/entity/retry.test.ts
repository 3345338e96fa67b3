import { expect, test } from 'vitest';
import { isPutOff, troubled } from './retry.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['is put off until the end of its pause', NOW, true],
  ['is due at the end of its pause', NOW + 5_000, false],
  ['is due when its pause ends in a future in which the clock was once', NOW - 9e10, false],
])('an attempt after a failure %s', (_, now, expected) => {
  expect(isPutOff(troubled(null, 'no answer', NOW, 60_000), now)).toBe(expected);
});
