import type { StructuralSchema } from '../../api/structural.ts';
import { type CustomResourceDefinition, storedVersion } from '../../deploy/crds/definition.ts';
import { badTexts, full, minimal } from './samples.ts';
import type { Manifest } from './verdict.ts';

type Wrap = (value: unknown) => unknown;
type Case = readonly [name: string, value: unknown];

/**
 * Manifests that test every rule of the stored version of a CRD: each field left out, null, of a wrong type, at its
 * bounds and beyond them.
 */
export function deriveManifests(definition: CustomResourceDefinition): readonly Manifest[] {
  const kind = String(definition.spec.names['kind']);
  const { schema, subresources = {} } = storedVersion(definition);
  const { spec, status } = schema.openAPIV3Schema.properties ?? {};
  const hasStatus = subresources.status !== undefined;
  return [
    ...(spec === undefined ? [] : manifestsOf(kind, 'object', 'spec', spec, (value) => ({ spec: value }))),
    ...(status === undefined || !hasStatus
      ? []
      : manifestsOf(kind, 'status', 'status', status, (value) => ({ status: value }))),
  ];
}

function manifestsOf(
  kind: string,
  part: Manifest['part'],
  root: string,
  schema: StructuralSchema,
  wrap: Wrap,
): readonly Manifest[] {
  const everything: Case = [`${root}: every field`, wrap(full(schema))];
  const least: Case = [`${root}: required fields alone`, wrap(minimal(schema))];
  return [everything, least, ...casesOf(schema, root, wrap)].map(([name, body]) => ({ name, kind, part, body }));
}

function casesOf(schema: StructuralSchema, path: string, wrap: Wrap): readonly Case[] {
  const own = [
    ...anyCases(schema),
    ...objectCases(schema),
    ...listCases(schema),
    ...textCases(schema),
    ...numberCases(schema),
  ];
  return [...own.map(([name, value]): Case => [`${path}: ${name}`, wrap(value)]), ...innerCases(schema, path, wrap)];
}

function innerCases(schema: StructuralSchema, path: string, wrap: Wrap): readonly Case[] {
  const { items, properties = {}, minItems = 1 } = schema;
  const fields = Object.entries(properties).flatMap(([name, field]) =>
    casesOf(field, `${path}.${name}`, (value) => wrap({ ...(minimal(schema) as object), [name]: value })),
  );
  if (items === undefined) return fields;
  const others = Array.from({ length: minItems - 1 }, () => minimal(items));
  return [...fields, ...casesOf(items, `${path}[]`, (value) => wrap([value, ...others]))];
}

const WRONG_TYPE: Readonly<Record<string, Case>> = {
  string: ['a number', 7],
  boolean: ['a text', 'true'],
  integer: ['a text', '7'],
  number: ['a text', '2.5'],
  object: ['a list', []],
  array: ['an object', {}],
};

const anyCases = ({ type = '' }: StructuralSchema): readonly Case[] => {
  const wrong = WRONG_TYPE[type];
  return [['null', null], ...(wrong === undefined ? [] : [wrong])];
};

function objectCases(schema: StructuralSchema): readonly Case[] {
  if (schema.type !== 'object') return [];
  const least = minimal(schema) as Record<string, unknown>;
  const { required = [], minProperties = 0 } = schema;
  const without = (name: string): Case => {
    const { [name]: _, ...rest } = least;
    return [`without ${name}`, rest];
  };
  const none: readonly Case[] = minProperties > required.length ? [['no field', {}]] : [];
  return [['an unknown field', { ...least, noSuchField: { inner: [1] } }], ...required.map(without), ...none];
}

function listCases(schema: StructuralSchema): readonly Case[] {
  const { items, type, minItems, maxItems } = schema;
  if (type !== 'array' || items === undefined) return [];
  const isBounded = maxItems !== undefined && maxItems <= MOST_ITEMS;
  const list = (length: number): unknown[] =>
    Array.from({ length }, (_, index) => distinct(minimal(items), schema, index));
  return [
    ['no items', []],
    ...(minItems === undefined ? [] : [['one item too few', list(minItems - 1)] as const]),
    ...(isBounded
      ? [['as many items as may be', list(maxItems)] as const, ['one item too many', list(maxItems + 1)] as const]
      : []),
    ...(keysOf(schema).length === 0 ? [] : [['two items of one key', [minimal(items), minimal(items)]] as const]),
    ...(isSet(schema) ? [['the same twice', [minimal(items), minimal(items)]] as const] : []),
  ];
}

/** Longer lists are not tested: hundreds of items show nothing more, and make the files large. */
const MOST_ITEMS = 100;

const keysOf = (schema: StructuralSchema): readonly string[] => schema['x-kubernetes-list-map-keys'] ?? [];

const isSet = (schema: StructuralSchema): boolean => schema['x-kubernetes-list-type'] === 'set';

/** Items of a keyed list differ in their keys. */
function distinct(item: unknown, list: StructuralSchema, index: number): unknown {
  const isNumber = (key: string): boolean => list.items?.properties?.[key]?.type === 'integer';
  const keys = keysOf(list).map((key) => [key, isNumber(key) ? index : `Item${index}`]);
  return keys.length === 0 ? item : { ...(item as object), ...Object.fromEntries(keys) };
}

function textCases(schema: StructuralSchema): readonly Case[] {
  const { type, enum: allowed = [], minLength = 0, maxLength } = schema;
  if (type !== 'string') return [];
  const bounds = maxLength === undefined ? [] : lengthCases(maxLength);
  return [
    ...allowed.map((value): Case => [JSON.stringify(value), value]),
    ...[...new Set(badTexts(schema))].map((value): Case => [`not ${JSON.stringify(value)}`, value]),
    ...(minLength === 0 ? [] : [['one character too short', 'a'.repeat(minLength - 1)] as const]),
    ...bounds,
  ];
}

/** An emoji is one character, two units of UTF-16 and four bytes. */
const lengthCases = (maxLength: number): readonly Case[] => [
  ['as long as may be', 'a'.repeat(maxLength)],
  ['one character too long', 'a'.repeat(maxLength + 1)],
  ...(maxLength > 1024 ? [] : [['as many emoji as may be', '🙂'.repeat(maxLength)] as const]),
];

function numberCases({ type, minimum, maximum, format }: StructuralSchema): readonly Case[] {
  if (type !== 'integer') return [];
  return [
    ['a fraction', 1.5],
    ...(minimum === undefined ? [['a negative number', -1] as const] : [['one too small', minimum - 1] as const]),
    ...(maximum === undefined ? [] : [['the greatest', maximum] as const, ['one too great', maximum + 1] as const]),
    ...(format === 'int32' ? [['more than 32 bits', 2 ** 31] as const] : []),
  ];
}
