import type { StructuralSchema } from '../../api/structural.ts';
import { BeyondBound } from '../bounds/beyond-bound.ts';
import { BOUNDS } from '../bounds/bounds.ts';
import { boundedJson } from '../bounds/json.ts';

export type Decoded = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string };

type Json = Readonly<Record<string, unknown>>;

/**
 * Decodes a JSON text into an object with the fields of a schema. Accepts what Go's decoder accepts: field names in any
 * case, and `null` as absent. In strict mode unknown fields are refused and text after the object is ignored.
 */
export function decode(text: string, schema: StructuralSchema, { strict }: { readonly strict: boolean }): Decoded {
  const read = readJson(text, strict ? 'first value' : 'whole');
  if (read === undefined) return refused('not valid JSON');
  if (read instanceof BeyondBound) return refused(read.message);
  const value = read.value ?? {};
  if (!isObject(value)) return refused(`expected object, got ${typeOf(value)}`);
  const problem = objectProblem(value, schema, '', strict);
  if (problem !== undefined) return refused(problem);
  const known = Object.entries(value).filter(([, inner]) => inner !== null);
  return { ok: true, value: Object.fromEntries(known.map(([key, inner]) => [nameOf(key, schema) ?? key, inner])) };
}

const refused = (message: string): Decoded => ({ ok: false, message });

function objectProblem(value: Json, schema: StructuralSchema, path: string, strict: boolean): string | undefined {
  const { properties } = schema;
  if (properties === undefined) return undefined;
  return first(Object.entries(value), ([key, inner]) => {
    const field = properties[nameOf(key, schema) ?? ''];
    if (field !== undefined) return problemOf(inner, field, path === '' ? key : `${path}.${key}`, strict);
    return strict ? `unknown field ${JSON.stringify(key)}` : undefined;
  });
}

function problemOf(value: unknown, schema: StructuralSchema, path: string, strict: boolean): string | undefined {
  if (value === null) return undefined;
  const type = schema.type ?? 'string';
  const isOfType = type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
  if (!isOfType) return `${path}: expected ${type}, got ${typeOf(value)}`;
  if (isObject(value)) return objectProblem(value, schema, path, strict);
  if (Array.isArray(value)) return first(value, (item) => problemOf(item, schema.items ?? {}, path, strict));
  if (schema.format !== 'date-time' || (typeof value === 'string' && isTime(value))) return undefined;
  return `${path}: expected a time such as 2006-01-02T15:04:05Z, got ${JSON.stringify(value)}`;
}

function first<Item>(items: readonly Item[], problem: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = problem(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

const isTime = (text: string): boolean => RFC3339.test(text) && !Number.isNaN(Date.parse(text));

function nameOf(key: string, { properties = {} }: StructuralSchema): string | undefined {
  if (Object.hasOwn(properties, key)) return key;
  const folded = key.toLowerCase();
  return Object.keys(properties).find((name) => name.toLowerCase() === folded);
}

const isObject = (value: unknown): value is Json => typeOf(value) === 'object' && value !== null;

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

/** An annotation, with Go's maximum depth. */
const BOUND = { ...BOUNDS.annotation, depth: 10_000 };

/**
 * Parses the whole text or, with `first value`, only the first value in it, where Go's streaming decoder stops.
 * undefined: it is not valid JSON.
 */
export function readJson(
  text: string,
  extent: 'whole' | 'first value',
): { readonly value: unknown } | BeyondBound | undefined {
  const isShort = text.length <= BOUND.characters;
  try {
    return { value: boundedJson(extent === 'whole' || !isShort ? text : text.slice(0, endOfFirstValue(text)), BOUND) };
  } catch (error) {
    return error instanceof BeyondBound ? error : undefined;
  }
}

/** Counts brackets outside of strings; the parser then checks the text up to there. */
function endOfFirstValue(text: string): number {
  const none = /^[ \t\r\n]*null/.exec(text);
  if (none !== null) return none[0].length;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return index + token.length;
  }
  return text.length;
}
