import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BOUNDS } from './bounds.ts';
import { boundedJson, maybeJson } from './json.ts';

const SMALL = { input: 'the example', characters: 100, values: 8, depth: 3 };

describe('JSON of somebody else', () => {
  test('is read as by the parser', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(boundedJson(text, BOUNDS.annotation)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ['100 characters', JSON.stringify('x'.repeat(99))],
    ['3 levels', '[[[[1]]]]'],
    ['3 levels', '{"a":{"b":[{}]}}'],
    ['8 values', '[1,2,3,4,5,6,7,8]'],
    ['8 values', '{"a":1,"b":2,"c":3,"d":4}'],
    ['8 values', '[[],[],[],[]]'],
  ])('is refused beyond %s, by the name of its bound: %s', (limit, text) => {
    expect(() => boundedJson(text, SMALL)).toThrow(`beyond the bound of the example: more than ${limit}`);
    expect(maybeJson(text, SMALL)).toBeUndefined();
  });

  test.each([JSON.stringify('[[[[[[,,,,,,,,::::::::'), String.raw`["\"[[[[\\",[[1]]]`, '{"[":"\\\\","]":[1]}'])(
    'counts nothing inside of strings: %s',
    (text) => {
      expect(boundedJson(text, SMALL)).toEqual(JSON.parse(text));
    },
  );

  test('is counted to its end when a string does not end, and refused by the parser', () => {
    expect(() => boundedJson('["a', SMALL)).toThrow(SyntaxError);
    expect(() => boundedJson(String.raw`["a\"`, SMALL)).toThrow(SyntaxError);
  });
});
