import { describe, expect, test } from 'vitest';
import { type Change, type HostRead, outOfTurn } from './turns.ts';

const change = (host: string, at: number, until: number, target = 'deleted'): Change => ({
  at,
  until,
  method: 'PUT',
  kind: 'provision',
  target,
  host,
  status: 202,
  injected: false,
});
const read = (host: string, at: number, hasImage = false): HostRead => ({ host, at, hasImage });

describe('a change at Ironic', () => {
  const others = [change('a', 10, 50), change('b', 10, 50)];
  const readsOfOthers = [read('a', 5), read('b', 5)];
  const judged = (changes: readonly Change[], reads: readonly HostRead[]): readonly string[] =>
    outOfTurn([...others, ...changes], [...readsOfOthers, ...reads], 2);

  test('is in its turn when its host was read while there was a place', () => {
    expect(judged([change('c', 60, 70)], [read('c', 50)])).toEqual([]);
    expect(judged([change('c', 60, 70)], [read('c', 20), read('c', 55)])).toEqual([]);
  });

  test('is not when its host was last read while all places were taken, or never', () => {
    expect(judged([change('c', 60, 70)], [read('c', 49)])).toEqual([expect.stringContaining('before its turn')]);
    expect(judged([change('c', 60, 70)], [read('c', 61)])).toEqual([expect.stringContaining('was not read')]);
  });

  test('is not when its host did not ask for it as it was read', () => {
    expect(judged([change('c', 60, 70)], [read('c', 55, true)])).toEqual([expect.stringContaining('did not ask')]);
    expect(judged([change('c', 60, 70, 'active')], [read('c', 55)])).toEqual([expect.stringContaining('did not ask')]);
    expect(judged([change('c', 60, 70, 'active')], [read('c', 55, true)])).toEqual([]);
  });
});
