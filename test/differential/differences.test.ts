import { expect, test } from 'vitest';
import { changed } from './differences.ts';

const at = ['rests', '*', 'IPPool a', 'x'];

test('a difference is applied under every key for which a star stands, where upstream has its value', () => {
  const account = { rests: { 1: { 'IPPool a': { x: 1, y: 0 } }, 2: { 'IPPool a': { x: 2 } }, 3: {} } };
  expect(changed(account, [{ at, upstream: 1, temper: 3 }])).toEqual({
    rests: { 1: { 'IPPool a': { x: 3, y: 0 } }, 2: { 'IPPool a': { x: 2 } }, 3: {} },
  });
});

test('what Temper does not have is taken away, and what only Temper has is put there', () => {
  const account = { rests: { 1: { 'IPPool a': { x: 1 } } } };
  expect(changed(account, [{ at, upstream: 1, temper: undefined }])).toEqual({ rests: { 1: { 'IPPool a': {} } } });
  const other = ['rests', '1', 'IPPool b'];
  expect(changed(account, [{ at: other, upstream: undefined, temper: { z: 1 } }])).toEqual({
    rests: { 1: { 'IPPool a': { x: 1 }, 'IPPool b': { z: 1 } } },
  });
});
