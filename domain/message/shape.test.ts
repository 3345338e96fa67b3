import { describe, expect, test } from 'vitest';
import { cpuTimeOf } from '../../test/builders/cpu-time.ts';
import {
  anyText,
  filledText,
  flag,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  type Shape,
  shallow,
  table,
  tableOf,
  text,
  time,
  union,
  whole,
} from './shape.ts';

const problem = (shape: Shape, value: unknown): string | undefined => shape(value, 'it');

/** Fields whose content only another program reads have such a shape. */
const anyValue: Shape = () => undefined;

describe('a message', () => {
  test.each<[string, Shape, readonly unknown[], readonly unknown[]]>([
    ['a text', text, ['', 'x'], [undefined, null, 5, {}, 'x'.repeat(70_000)]],
    ['a text that says something', filledText, ['x'], ['', null]],
    ['a text of any length', anyText, ['', 'x'.repeat(70_000)], [undefined, null, 5, {}]],
    ['true or false', flag, [true, false], ['true', 0]],
    ['a whole number', whole(0, 9), [0, 9], [-1, 10, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1']],
    ['an integer', integer(0), [0, 2 ** 63], [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1']],
    [
      'a time',
      time,
      ['2026-01-31T23:59:59Z', '2026-01-01t00:00:00.123+01:00'],
      ['', 'now', '2026-01-01', '2026-13-01T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01T00:00:00', 5],
    ],
    ['a word', oneOf('on', 'off'), ['on'], ['up', undefined]],
    ['an object', table, [{}, { a: 1 }], [null, [], 'x']],
    ['what may be missing', optional(text), [undefined, 'x'], [null, 1]],
    ['what may be null', nullable(text), [null, 'x'], [undefined, 1]],
    ['a list', list(text, 2), [[], ['a', 'b']], [['a', 1], ['a', 'b', 'c'], {}]],
    ['a table', tableOf(text), [{}, { a: 'b' }], [{ a: 1 }, []]],
    ['fields', object({ a: text, b: optional(flag) }), [{ a: '', more: 1 }], [{}, { a: '', b: 1 }, null]],
    [
      'one of several',
      union('kind', { a: object({ n: whole(1) }), b: table }),
      [{ kind: 'a', n: 1 }, { kind: 'b' }],
      [{ kind: 'a' }, { kind: 'c' }, { kind: 'toString' }, {}, null],
    ],
  ])('that is to be %s', (_, shape, fitting, others) => {
    expect(fitting.map((value) => problem(shape, value))).toEqual(fitting.map(() => undefined));
    for (const value of others) expect(problem(shape, value)).toMatch(/^it/);
  });

  test('is refused when its values lie so deep in each other that nothing could write it again', () => {
    const deep = (levels: number): unknown => ({
      firmware: JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown,
    });
    const shape = object({ firmware: anyValue });
    expect(() => JSON.stringify(deep(100_000))).toThrow(RangeError);
    expect(problem(shape, deep(100_000))).toBeUndefined();
    expect(problem(shallow(shape), deep(100_000))).toBe('beyond the bound of it: more than 64 levels');
    expect(problem(shallow(shape), deep(64))).toBe('beyond the bound of it: more than 64 levels');
    expect(problem(shallow(shape), deep(63))).toBeUndefined();
    expect(problem(shallow(object({ name: text })), { name: 1 })).toBe('it.name is not a text');
  });

  test('takes milliseconds of its thread at most to count, with the most values that Temporal stores', () => {
    const most = Array.from({ length: 500_000 }, () => ({}));
    const shape = shallow(object({ most: list(table) }));
    expect(cpuTimeOf(() => problem(shape, { most }))).toBeLessThan(600);
  });

  test('is refused with where it is wrong', () => {
    const shape = object({ host: object({ name: text }), numbers: list(whole(0, 9)) });
    expect(problem(shape, { host: {}, numbers: [] })).toBe('it.host.name is not a text');
    expect(problem(shape, { host: { name: 'x' }, numbers: [1, 10] })).toBe(
      'it.numbers[1] is not a whole number from 0 to 9',
    );
  });
});
