import { describe, expect, test } from 'vitest';
import { mergePatch } from './merge-patch.ts';

describe('a merge patch', () => {
  test('is none between equals, whatever the order of their keys', () => {
    expect(mergePatch({ a: 1, b: { c: [1, { d: 2 }] } }, { b: { c: [1, { d: 2 }] }, a: 1 })).toBeUndefined();
  });

  test('takes null and absent for the same', () => {
    expect(mergePatch({ a: {} }, { a: { start: null }, b: null, c: undefined })).toBeUndefined();
  });

  test('holds what changed and nothing else', () => {
    expect(mergePatch({ a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3 } })).toEqual({ b: { d: 3 } });
  });

  test('removes by null what is no longer there', () => {
    expect(
      mergePatch({ errorType: 'inspection error', image: { url: 'x', checksum: 'y' } }, { image: { url: 'x' } }),
    ).toEqual({
      errorType: null,
      image: { checksum: null },
    });
  });

  test('replaces lists whole', () => {
    expect(mergePatch({ list: [{ a: 1 }, { b: 2 }] }, { list: [{ a: 1 }] })).toEqual({ list: [{ a: 1 }] });
  });

  test('makes an object of what was none, also an empty one', () => {
    expect(mergePatch({ a: 1 }, { a: {}, b: { c: {} } })).toEqual({ a: {}, b: { c: {} } });
  });
});
