import fc from 'fast-check';
import { oddText } from './odd-texts.ts';

export type Path = readonly (string | number)[];
type Json = Readonly<Record<string, unknown>>;

export interface Mutation {
  readonly path: Path;
  /** undefined removes the value. */
  readonly value: unknown;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Every path in a value, except for the root. */
export function pathsIn(value: unknown, before: Path = []): readonly Path[] {
  if (!isObject(value)) return [];
  const keys: readonly (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => {
    const path = [...before, key];
    return [path, ...pathsIn((value as Record<string | number, unknown>)[key], path)];
  });
}

/** Invalid values: wrong types, nothing, far too much. */
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      undefined,
      null,
      true,
      false,
      0,
      -1,
      0.5,
      1e18,
      1e300,
      2 ** 31,
      2 ** 63,
      [],
      {},
      [null],
      ['a'],
      {
        a: 1,
      },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.constant('x'.repeat(300_000)) },
  { weight: 1, arbitrary: fc.nat({ max: 60 }).map((depth) => nested(depth)) },
);

const nested = (depth: number): unknown => (depth === 0 ? 'deep' : [nested(depth - 1)]);

/** One to three changes, each at an existing path. */
export const mutationsOf = (value: Json): fc.Arbitrary<readonly Mutation[]> =>
  fc.array(fc.record({ path: fc.constantFrom(...pathsIn(value)), value: hostile }), { minLength: 1, maxLength: 3 });

/** The value after the changes; a change of a path that an earlier change removed has no effect. */
export const mutated = (value: Json, mutations: readonly Mutation[]): Json =>
  mutations.reduce<Json>((current, { path, value: put }) => changedAt(current, path, put) as Json, value);

function changedAt(value: unknown, [key, ...rest]: Path, put: unknown): unknown {
  if (key === undefined) return put;
  if (!isObject(value) || !Object.hasOwn(value, key)) return value;
  const inner = changedAt((value as Record<string | number, unknown>)[key], rest, put);
  if (Array.isArray(value)) return value.with(Number(key), inner ?? null);
  const entries = Object.entries(value).map(([name, each]) => [name, name === key ? inner : each] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}
