import type { StructuralSchema } from '../../api/structural.ts';
import { type FieldProblem, invalid, required } from './field-problem.ts';

type Json = Readonly<Record<string, unknown>>;

/** Limit of problems that are named for one object: its author corrects these first. */
const MOST_NAMED = 10;

/**
 * Fields whose type differs from the schema, and missing objects that the schema requires. Values are not checked: the
 * API server does that, but only after it has called webhooks. Rules and conversions read an object without such
 * problems safely.
 */
export const shapeProblems = (value: unknown, schema: StructuralSchema, path: string): readonly FieldProblem[] =>
  [...problemsIn(value, schema, path)].slice(0, MOST_NAMED);

function* problemsIn(value: unknown, schema: StructuralSchema, path: string): Generator<FieldProblem> {
  // Any value is allowed. The type beside it applies only to the version in which the object was written.
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return;
  if (schema.type === undefined || (value === null && schema.nullable === true)) return;
  if (!isOfType(value, schema.type)) {
    // The message names the type only, because the value can be a secret or very long.
    yield invalid(path, typeOf(value), `must be of type ${schema.type}`);
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* problemsIn(item, schema.items ?? {}, `${path}[${index}]`);
  } else if (isObject(value)) yield* problemsInObject(value, schema, path);
}

function* problemsInObject(value: Json, schema: StructuralSchema, path: string): Generator<FieldProblem> {
  const { properties = {}, required: needed = [], additionalProperties: rest } = schema;
  for (const name of needed) {
    const isMissing = !Object.hasOwn(value, name);
    if (isMissing && properties[name]?.type === 'object') yield required(`${path}.${name}`, 'must be an object');
  }
  for (const [name, inner] of Object.entries(value)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : rest;
    if (field !== undefined && inner !== undefined) yield* problemsIn(inner, field, `${path}.${name}`);
  }
}

const isOfType = (value: unknown, type: string): boolean =>
  type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;

const isObject = (value: unknown): value is Json => typeOf(value) === 'object';

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
