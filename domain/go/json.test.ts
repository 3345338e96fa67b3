import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from './decode.ts';

const isValid = (text: string, extent: 'whole' | 'first value' = 'whole'): boolean =>
  readJson(text, extent) !== undefined;

describe('JSON', () => {
  test('is read as by the parser built in', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(readJson(text, 'whole')).toEqual({ value: JSON.parse(text) as unknown });
      }),
    );
  });

  test('is refused where the parser built in refuses it, and nowhere else', () => {
    const nearly = fc
      .tuple(fc.json(), fc.nat(60), fc.constantFrom('"', '\\', '{', ']', ',', '1', '-', '.', 'e', 't', '\u0001', ''))
      .map(([text, at, bit]) => text.slice(0, at) + bit + text.slice(at + 1));
    const builtIn = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(nearly, (text) => {
        expect([text, isValid(text)]).toEqual([text, builtIn(text)]);
      }),
    );
  });

  test.each(['hard', '{mode', '{"a" 1', '[1 2', '{} x', '"\u0001', String.raw`"\x`, 'nul', "'a'", '{"a":', ''])(
    'is not %j',
    (text) => {
      expect(isValid(text)).toBe(false);
    },
  );

  test('may be followed by anything when only the first value is read', () => {
    expect(readJson('{"a":1} x', 'first value')).toEqual({ value: { a: 1 } });
    expect(readJson(' {"a":["}\\"",{}]}}', 'first value')).toEqual({ value: { a: ['}"', {}] } });
    expect(readJson(' null x', 'first value')).toEqual({ value: null });
    expect(['{"a":', 'nul', ' \n', '{"a":1]'].some((text) => isValid(text, 'first value'))).toBe(false);
  });

  test('has a bound on its depth', () => {
    expect(readJson('['.repeat(10_001) + ']'.repeat(10_001), 'whole')).toMatchObject({
      message: 'beyond the bound of the annotation: more than 10000 levels',
    });
    expect(readJson('['.repeat(10_001) + ']'.repeat(10_001), 'first value')).toBeInstanceOf(Error);
    expect(isValid('['.repeat(10_000) + ']'.repeat(10_000))).toBe(true);
  });
});
