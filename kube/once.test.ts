import { describe, expect, test } from 'vitest';
import { once } from './once.ts';

describe('an object', () => {
  test('is read once for each that there is, however often it is asked for', () => {
    let count = 0;
    const read = once((object) => ({ object, at: ++count }));
    const first = { name: 'a' };
    const second = { name: 'a' };

    expect([read(first), read(second), read(first)].map(({ at }) => at)).toEqual([1, 2, 1]);
  });

  test('that can not be read says so each time', () => {
    const read = once((): never => {
      throw new Error('not readable');
    });
    const object = {};

    expect(() => read(object)).toThrow('not readable');
    expect(() => read(object)).toThrow('not readable');
  });

  test('may be none', () => {
    expect(once((object) => object === undefined)(undefined)).toBe(true);
  });
});
