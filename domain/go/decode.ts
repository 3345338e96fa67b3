import type { StructuralSchema } from '../../api/structural.ts';
import { readJson } from './json-syntax.ts';
import { quote } from './quote.ts';

/** The Go struct that a JSON text is decoded into. */
export interface DecodeTarget {
  readonly name: string;
  readonly schema: StructuralSchema;
  /** Type names of top-level fields, where the type is named. */
  readonly types?: Readonly<Record<string, string>>;
}

export type Decoded = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string };

type Json = Readonly<Record<string, unknown>>;

/**
 * Decodes a text into an object like Go's JSON decoder: field names in any case, `null` as absent. In strict mode
 * unknown fields are refused and text after the object is ignored.
 */
export function decode(text: string, target: DecodeTarget, { strict }: { readonly strict: boolean }): Decoded {
  const read = readJson(text, strict ? 'first value' : 'whole');
  if (!read.ok) return read;
  if (read.value === null) return { ok: true, value: {} };
  if (!isObject(read.value)) {
    return refused(`json: cannot unmarshal ${kindOf(read.value)} into Go value of type v1alpha1.${target.name}`);
  }
  const problem = objectProblem(read.value, target.schema, { target, path: [], strict });
  return problem === undefined ? { ok: true, value: withNamesOf(read.value, target.schema) } : refused(problem);
}

const refused = (message: string): Decoded => ({ ok: false, message });

interface Place {
  readonly target: DecodeTarget;
  readonly path: readonly string[];
  readonly strict: boolean;
}

function objectProblem(value: Json, schema: StructuralSchema, place: Place): string | undefined {
  const { properties } = schema;
  if (properties === undefined) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const name = nameOf(key, schema);
    const field = name === undefined ? undefined : properties[name];
    if (name !== undefined && field !== undefined) {
      const problem = problemOf(inner, field, { ...place, path: [...place.path, name] });
      if (problem !== undefined) return problem;
    } else if (place.strict) return `json: unknown field ${quote(key)}`;
  }
  return undefined;
}

function problemOf(value: unknown, schema: StructuralSchema, place: Place): string | undefined {
  if (value === null) return undefined;
  const { target, path } = place;
  const mismatch = (type: string, kind = kindOf(value)): string =>
    `json: cannot unmarshal ${kind} into Go struct field ${[target.name, ...path].join('.')} of type ${target.types?.[path.join('.')] ?? type}`;
  switch (schema.type) {
    case 'object':
      return isObject(value) ? objectProblem(value, schema, place) : mismatch('object');
    case 'array':
      return Array.isArray(value) ? listProblem(value, schema.items ?? {}, place) : mismatch('array');
    case 'boolean':
      return typeof value === 'boolean' ? undefined : mismatch('bool');
    case 'integer': {
      const type = schema.format ?? 'int';
      if (typeof value !== 'number') return mismatch(type);
      return Number.isInteger(value) ? undefined : mismatch(type, `number ${value}`);
    }
    case 'number':
      return typeof value === 'number' ? undefined : mismatch('float64');
    case undefined:
    default:
      return typeof value === 'string' ? timeProblem(value, schema) : mismatch('string');
  }
}

function listProblem(values: readonly unknown[], items: StructuralSchema, place: Place): string | undefined {
  for (const value of values) {
    const problem = problemOf(value, items, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

function timeProblem(value: string, { format }: StructuralSchema): string | undefined {
  if (format !== 'date-time' || (RFC3339.test(value) && !Number.isNaN(Date.parse(value)))) return undefined;
  return `parsing time ${quote(value)} as "2006-01-02T15:04:05Z07:00": it is not one`;
}

/** The same object with the schema's field names at the top level. */
function withNamesOf(value: Json, schema: StructuralSchema): Json {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [nameOf(key, schema) ?? key, inner]),
  );
}

function nameOf(key: string, { properties = {} }: StructuralSchema): string | undefined {
  if (Object.hasOwn(properties, key)) return key;
  const folded = key.toLowerCase();
  return Object.keys(properties).find((name) => name.toLowerCase() === folded);
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}
