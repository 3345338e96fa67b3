import { expect, test } from 'vitest';
import { isFarAhead } from './order.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const at = (epoch: number) => ({ epoch, number: 1 });

test.each<[string, boolean, number, number | undefined]>([
  ['of the first bridge is', false, NOW, undefined],
  ['of a bridge whose clock is right after one from 1970 is', false, NOW, 0],
  ['of a bridge whose clock is centuries ahead is', false, Date.parse('2500-01-01T00:00:00Z'), NOW],
  ['of an earlier bridge is', false, 0, NOW],
  ['that leaves hardly any numbers for others is not', true, Number.MAX_SAFE_INTEGER, NOW],
  ['like that is not, also as the first', true, Number.MAX_SAFE_INTEGER - 10_000, undefined],
])('an order %s taken in', (_, isFar, epoch, known) => {
  expect(isFarAhead(at(epoch), known === undefined ? undefined : at(known))).toBe(isFar);
});
