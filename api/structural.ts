import { z } from 'zod';

type Json = Readonly<Record<string, unknown>>;

/**
 * OpenAPI v3 in the form that Kubernetes requires of custom resources: each level has a type, no references, no
 * ambiguity.
 */
export interface StructuralSchema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** A schema that the API server would refuse; thrown when CRDs are generated, not when they are applied. */
export class StructuralSchemaError extends Error {
  override readonly name = 'StructuralSchemaError';
  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
  }
}

/** Keywords in the order in which they are written, so that generated files are easy to compare. */
const PLAIN_KEYWORDS = [
  'description',
  'type',
  'format',
  'nullable',
  'default',
  'enum',
  'pattern',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
];
const JUNCTORS = ['allOf', 'anyOf', 'oneOf', 'not'];
const NOT_IN_JUNCTORS = ['description', 'type', 'default', 'nullable', 'additionalProperties'];
const NESTED_KEYWORDS = ['required', 'properties', 'additionalProperties', 'items'];
/**
 * Keywords of zod that the API server does not know, and our mark for a field that is required although it has a
 * default.
 */
const LEFT_OUT = ['$schema', 'propertyNames', 'x-required'];

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** Converts a zod schema to the schema of a custom resource; throws on what the API server would refuse. */
export function structural(schema: z.ZodType, path = 'schema'): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return level(json, path);
}

function level(json: Json, path: string): StructuralSchema {
  const known = [...PLAIN_KEYWORDS, ...JUNCTORS, ...NESTED_KEYWORDS, ...LEFT_OUT];
  for (const keyword of Object.keys(json)) {
    if (!known.includes(keyword) && !keyword.startsWith('x-kubernetes-'))
      throw new StructuralSchemaError(path, `the API server refuses the keyword ${keyword}`);
  }
  requireType(json, path);
  const kept: Record<string, unknown> = {};
  for (const keyword of PLAIN_KEYWORDS) if (json[keyword] !== undefined) kept[keyword] = json[keyword];
  for (const keyword of JUNCTORS)
    if (json[keyword] !== undefined) kept[keyword] = junctor(json[keyword], path, keyword);
  for (const keyword of Object.keys(json)) if (keyword.startsWith('x-kubernetes-')) kept[keyword] = json[keyword];
  Object.assign(kept, nested(json, path));
  checkListMapKeys(kept, path);
  checkDefault(kept, path);
  return kept;
}

function requireType(json: Json, path: string): void {
  const untyped = json['x-kubernetes-int-or-string'] === true || json['x-kubernetes-preserve-unknown-fields'] === true;
  if (typeof json['type'] !== 'string' && !untyped) throw new StructuralSchemaError(path, 'has no type');
}

function nested(json: Json, path: string): Json {
  const kept: Record<string, unknown> = {};
  const { properties, additionalProperties, items } = json;
  if (isJson(properties)) {
    if (additionalProperties !== undefined)
      throw new StructuralSchemaError(path, 'has named and free properties at once, which the API server refuses');
    const names = Object.keys(properties);
    const required = strings(json['required']);
    const needed = names.filter((name) => required.includes(name) || isMarkedRequired(properties[name]));
    if (needed.length > 0) kept['required'] = needed;
    kept['properties'] = Object.fromEntries(names.map((name) => [name, child(properties[name], `${path}.${name}`)]));
  }
  if (additionalProperties !== undefined) kept['additionalProperties'] = child(additionalProperties, `${path}[*]`);
  if (json['type'] === 'array') kept['items'] = child(items, `${path}[]`);
  return kept;
}

const isMarkedRequired = (property: unknown): boolean => isJson(property) && property['x-required'] === true;

function child(json: unknown, path: string): StructuralSchema {
  if (!isJson(json)) throw new StructuralSchemaError(path, 'needs one schema here');
  return level(json, path);
}

function junctor(value: unknown, path: string, keyword: string): unknown {
  for (const branch of Array.isArray(value) ? value : [value]) {
    const forbidden = isJson(branch) ? NOT_IN_JUNCTORS.find((word) => branch[word] !== undefined) : undefined;
    if (forbidden !== undefined)
      throw new StructuralSchemaError(
        path,
        `the API server refuses ${forbidden} inside ${keyword}; use one object and a CEL rule`,
      );
  }
  return value;
}

function checkListMapKeys(schema: Json & StructuralSchema, path: string): void {
  if (schema['x-kubernetes-list-type'] !== 'map') return;
  const keys = strings(schema['x-kubernetes-list-map-keys']);
  if (keys.length === 0) throw new StructuralSchemaError(path, 'is a map list without keys');
  for (const key of keys) {
    const property = schema.items?.properties?.[key];
    if (property === undefined)
      throw new StructuralSchemaError(path, `has no property ${key} to be the key of its items`);
    if (property.default === undefined && !schema.items?.required?.includes(key))
      throw new StructuralSchemaError(path, `the key ${key} is neither required nor has a default`);
  }
}

function checkDefault({ default: value, enum: allowed, type }: StructuralSchema, path: string): void {
  if (value === undefined) return;
  const actual = Array.isArray(value) ? 'array' : typeof value;
  const fits = type === 'integer' ? Number.isInteger(value) : actual === type;
  if (!fits || (allowed !== undefined && typeof value !== 'object' && !allowed.includes(value)))
    throw new StructuralSchemaError(path, `the default ${JSON.stringify(value)} is not a value of the field`);
}
