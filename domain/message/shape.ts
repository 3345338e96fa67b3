import { BeyondBound } from '../bounds/beyond-bound.ts';
import { BOUNDS } from '../bounds/bounds.ts';

/**
 * Checks a value of a message: undefined when it is valid, else the problem and its place. Messages come from outside,
 * so they are checked before they change a workflow's memory. zod has the same at the edges, but would add 1 MB to each
 * workflow bundle.
 */
export type Shape = (value: unknown, at: string) => string | undefined;

const wrong =
  (what: string, fits: (value: unknown) => boolean): Shape =>
  (value, at) =>
    fits(value) ? undefined : `${at} is not ${what}`;

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A shape whose values lie in each other in so few levels that what reads or writes them can recurse. */
export const shallow =
  (shape: Shape): Shape =>
  (value, at) =>
    isDeeper(value, BOUNDS.message.depth)
      ? new BeyondBound({ ...BOUNDS.message, input: at }, 'depth').message
      : shape(value, at);

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** Longer than any text of users; bounds the size of a memory. */
export const LONGEST_TEXT = BOUNDS.text.characters;

/** True for a longer text as a snapshot has it: its beginning and its digest. It is written nowhere. */
export const isCut = (value: string): boolean => /… [\w-]{43}$/.test(value);

export const text: Shape = wrong('a text', (value) => typeof value === 'string' && value.length <= LONGEST_TEXT);
export const filledText: Shape = (value, at) => text(value, at) ?? (value === '' ? `${at} is empty` : undefined);
/** A text of printable ASCII, which has as many bytes in JSON as characters. */
export const plainText = (most: number, least = 1): Shape =>
  wrong(
    `a text of ${least} to ${most} plain characters`,
    (value) =>
      typeof value === 'string' &&
      value.length >= least &&
      value.length <= most &&
      /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(value),
  );
/** A text that a user writes into a field whose length the schema does not limit. */
export const anyText: Shape = wrong('a text', (value) => typeof value === 'string');
export const flag: Shape = wrong('true or false', (value) => typeof value === 'boolean');
export const table: Shape = wrong('an object', isTable);

/** An integer between two limits, both included. */
export const whole = (least: number, most: number = Number.MAX_SAFE_INTEGER): Shape =>
  wrong(
    `a whole number from ${least} to ${most}`,
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
  );

/** An integer as in the API of Kubernetes, which has greater ones than the workflows. */
export const integer = (least: number = Number.NEGATIVE_INFINITY): Shape =>
  wrong(`a whole number of at least ${least}`, (value) => Number.isInteger(value) && Number(value) >= least);

/** Times as the API server accepts them. */
const RFC_3339 = /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])t([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?(z|[+-]\d{2}:\d{2})$/i;
export const time: Shape = wrong('a time as in RFC 3339', (value) => typeof value === 'string' && RFC_3339.test(value));

export const oneOf = (...words: readonly string[]): Shape =>
  wrong(`one of ${words.join(', ')}`, (value) => typeof value === 'string' && words.includes(value));

/** A value that may be missing. */
export const optional =
  (shape: Shape): Shape =>
  (value, at) =>
    value === undefined ? undefined : shape(value, at);

export const nullable =
  (shape: Shape): Shape =>
  (value, at) =>
    value === null ? undefined : shape(value, at);

/** A list with at most `most` entries. */
export const list =
  (shape: Shape, most = 100_000): Shape =>
  (value, at) => {
    if (!Array.isArray(value)) return `${at} is not a list`;
    if (value.length > most) return `${at} has more than ${most} entries`;
    return firstProblem(value.map((item, index) => [shape, item, `${at}[${index}]`]));
  };

/** An object with any keys, whose values have one shape. */
export const tableOf =
  (shape: Shape): Shape =>
  (value, at) =>
    isTable(value)
      ? firstProblem(Object.entries(value).map(([key, item]) => [shape, item, `${at}.${key}`]))
      : `${at} is not an object`;

/** An object with these fields. Other fields are allowed, so that an older workflow understands a newer sender. */
export const object =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, at) =>
    isTable(value)
      ? firstProblem(Object.entries(fields).map(([key, shape]) => [shape, value[key], `${at}.${key}`]))
      : `${at} is not an object`;

/** One of several objects, identified by the value of the field `key`. */
export const union =
  (key: string, shapes: Readonly<Record<string, Shape>>): Shape =>
  (value, at) => {
    if (!isTable(value)) return `${at} is not an object`;
    const word = value[key];
    const shape = typeof word === 'string' && Object.hasOwn(shapes, word) ? shapes[word] : undefined;
    return shape === undefined ? `${at}.${key} is not one of ${Object.keys(shapes).join(', ')}` : shape(value, at);
  };

function firstProblem(checks: readonly (readonly [Shape, unknown, string])[]): string | undefined {
  for (const [shape, value, at] of checks) {
    const problem = shape(value, at);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
