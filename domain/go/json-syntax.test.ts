import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from './json-syntax.ts';

const problem = (text: string, extent: 'whole' | 'first value' = 'whole'): string => {
  const read = readJson(text, extent);
  return read.ok ? 'valid' : read.message;
};

describe('JSON', () => {
  test('is read as by the parser built in', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(readJson(text, 'whole')).toEqual({ ok: true, value: JSON.parse(text) as unknown });
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
        expect([text, readJson(text, 'whole').ok]).toEqual([text, builtIn(text)]);
      }),
    );
  });

  test.each([
    ['hard', "invalid character 'h' looking for beginning of value"],
    ['{mode', "invalid character 'm' looking for beginning of object key string"],
    ['{"a" 1', "invalid character '1' after object key"],
    ['{"a":1 "b"', `invalid character '"' after object key:value pair`],
    ['[1 2', "invalid character '2' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['"\u0001', String.raw`invalid character '\x01' in string literal`],
    [String.raw`"\x`, "invalid character 'x' in string escape code"],
    [String.raw`"\u12x`, String.raw`invalid character 'x' in \u hexadecimal character escape`],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+x', "invalid character 'x' in exponent of numeric literal"],
    ['truth', "invalid character 't' in literal true (expecting 'e')"],
    ['nul', "invalid character ' ' in literal null (expecting 'l')"],
    ["'a'", String.raw`invalid character '\'' looking for beginning of value`],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['{"a":', 'unexpected end of JSON input'],
    ['', 'unexpected end of JSON input'],
  ])('that makes no sense says why: %s', (text, message) => {
    expect(problem(text)).toBe(message);
  });

  test('may be followed by anything where only the first value is asked for', () => {
    expect(readJson('{"a":1} x', 'first value')).toEqual({ ok: true, value: { a: 1 } });
    expect(problem('{"a":', 'first value')).toBe('unexpected EOF');
    expect(problem('nul', 'first value')).toBe('unexpected EOF');
    expect(problem(' \n', 'first value')).toBe('EOF');
  });

  test('has a bound on its depth', () => {
    expect(problem('['.repeat(10_001))).toBe('exceeded max depth');
    expect(problem('['.repeat(10_000) + ']'.repeat(10_000))).toBe('valid');
  });
});
