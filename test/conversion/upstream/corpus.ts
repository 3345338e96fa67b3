import fc from 'fast-check';
import { customResources } from '../../../api/crds.ts';
import type { StructuralSchema } from '../../../api/structural.ts';
import { type CustomResourceDefinition, toDefinition } from '../../../deploy/crds/definition.ts';
import { CONVERSION_DATA } from '../../../domain/conversion/round-trip.ts';
import { isObject } from '../../../kube/merge-patch.ts';
import { readStories } from '../../differential/cluster-api/story.ts';
import { type ApiObject, type Json, objectsOf } from '../objects.ts';

/** An object that is converted, with what is special about it. */
export interface Sample {
  readonly sample: string;
  readonly object: Json;
}

/** The other version of an object, or why there is none. */
export type Answer = { readonly object: Json } | { readonly refused: string };

export interface Recorded extends Sample {
  readonly answer: Answer;
}

export const GROUP = 'infrastructure.cluster.x-k8s.io';
export const METADATA: Json = { name: 'm', annotations: { other: 'x' } };
export const VERSIONS = ['v1beta1', 'v1beta2'] as const;
export type Version = (typeof VERSIONS)[number];

const GENERATED = 16;
const SEED = 20_261_127;

/** Objects of a kind in a version: each field set, zero, null and absent, and those of the stories. */
export function samplesOf(kind: string, version: Version): readonly Sample[] {
  const definition = customResources.map(toDefinition).find(({ spec }) => spec.names['kind'] === kind);
  if (definition === undefined) throw new Error(`there is no kind ${kind}`);
  const samples = [...fieldSamples(definition, version), ...(version === 'v1beta2' ? storySamples(kind) : [])];
  return samples.map((sample) => whole(kind, version, sample));
}

/** Generated objects, which depend on the version of the generator. */
export const generatedOf = (kind: string, version: Version): readonly Sample[] =>
  fc
    .sample(objectsOf(kind, version), { numRuns: GENERATED, seed: SEED })
    .map((object, at): Sample => ({ sample: `generated ${at}`, object: partsOf(object) }))
    .filter(({ object }) => !hasEmptyKey(object) && (object['spec'] !== undefined || !kind.endsWith('Template')))
    .map((sample) => whole(kind, version, sample));

const whole = (kind: string, version: Version, { sample, object }: Sample): Sample => ({
  sample,
  object: { apiVersion: `${GROUP}/${version}`, kind, metadata: METADATA, ...object },
});

/** In the form of values that upstream’s types have: times in seconds, integers of 32 bits, valid UTF-16. */
function partsOf({ spec, status }: ApiObject): Json {
  const parts = { ...(spec !== undefined && { spec }), ...(status !== undefined && { status }) };
  return JSON.parse(JSON.stringify(parts), (_, value: unknown) => {
    if (typeof value === 'number') return value % 2 ** 31;
    return typeof value === 'string' ? value.toWellFormed().replace(/(T[\d:]+)\.\d{3}Z$/, '$1Z') : value;
  }) as Json;
}

/** A name that is empty, as a key, is not valid in the other version. */
const hasEmptyKey = (object: unknown): boolean => JSON.stringify(object).includes('"":');

/** What a client has read in v1beta1 from upstream and writes back, as it is or with a change. */
export function writtenBack({ sample, object, answer }: Recorded): readonly Sample[] {
  const isOfInterest = String(object['apiVersion']).endsWith('v1beta2') && !/^generated|: absent$/.test(sample);
  if (!isOfInterest || !('object' in answer)) return [];
  const changed = Object.entries(CHANGES).flatMap(([name, change]) => {
    const other = change(sample, answer.object);
    return other === undefined ? [] : [{ sample: `${sample}: written back ${name}`, object: other }];
  });
  return [{ sample: `${sample}: written back`, object: answer.object }, ...changed];
}

/** Undefined where the change would show nothing new. */
type Change = (sample: string, object: Json) => Json | undefined;

const CHANGES: Readonly<Record<string, Change>> = {
  'with data that cannot be read': (sample, object) =>
    sample === 'every field' ? withData(object, { [CONVERSION_DATA]: '{' }) : undefined,
  'without that data': (sample, object) => (sample === 'every field' ? withData(object, {}) : undefined),
  'as not ready': (sample, object) => {
    const { status } = object;
    return sample === 'every field' && isObject(status) && 'ready' in status
      ? { ...object, status: { ...status, ready: false } }
      : undefined;
  },
  'with a checksum': (sample, object) => (sample.endsWith('image.url: alone') ? withChecksum(object) : undefined),
};

/** The object with another annotation in place of the v1beta2 form that it keeps; undefined when it keeps none. */
function withData(object: Json, other: Json): Json | undefined {
  const metadata = object['metadata'] as Json;
  const { [CONVERSION_DATA]: data, ...rest } = metadata['annotations'] as Json;
  return data === undefined ? undefined : { ...object, metadata: { ...metadata, annotations: { ...rest, ...other } } };
}

/** The object, or the one in its template, with a checksum of its image. */
function withChecksum(value: Json): Json {
  const image = value['image'];
  if (isObject(image)) return { ...value, image: { ...image, checksum: 'abc', checksumType: 'md5', format: 'raw' } };
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isObject(inner) ? withChecksum(inner) : inner]),
  );
}

const hasNull = (spec: unknown): boolean => spec === undefined || JSON.stringify(spec).includes(':null');

function storySamples(kind: string): readonly Sample[] {
  const specs = readStories('cluster-api-provider-metal3').flatMap(({ story, steps }) =>
    steps.flatMap((writes = []) =>
      writes.flatMap((order) =>
        'create' in order && order.create.kind === kind && !hasNull(order.spec)
          ? [{ sample: `story: ${story}`, object: { spec: order.spec } }]
          : [],
      ),
    ),
  );
  const different = new Map(specs.toReversed().map((each) => [JSON.stringify(each.object), each]));
  return [...different.values()]
    .toReversed()
    .map(({ sample, object }, at) => ({ sample: `${sample} (${at})`, object }));
}

const kindHasTemplate = ({ properties = {} }: StructuralSchema): boolean =>
  Object.hasOwn(properties['template']?.properties ?? {}, 'spec');

function fieldSamples({ spec: { versions } }: CustomResourceDefinition, version: Version): readonly Sample[] {
  const schema = versions.find(({ name }) => name === version)?.schema.openAPIV3Schema ?? {};
  const { spec = {}, status } = schema.properties ?? {};
  const parts: StructuralSchema = {
    type: 'object',
    properties: { spec, ...(status !== undefined && { status }) },
    required: ['spec'],
  };
  return [
    { sample: 'required fields alone', object: least(parts) as Json },
    { sample: 'every field', object: full(parts, '') as Json },
    ...(kindHasTemplate(spec) ? [] : [{ sample: 'no spec', object: {} }]),
    ...inside(parts, '', version, (object) => object).map(({ sample, object }) => ({ sample, object: object as Json })),
  ];
}

type Around = (value: unknown) => unknown;
interface FieldSample {
  readonly sample: string;
  readonly object: unknown;
}

const isAny = (schema: StructuralSchema): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;

/** Of each field in the object: itself, zero, null, and its absence beside all others; if the schema accepts that. */
function inside(schema: StructuralSchema, path: string, version: Version, around: Around): readonly FieldSample[] {
  const { properties = {}, required = [], items, additionalProperties: entry } = schema;
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const put: Around = (value) => around({ ...(least(schema) as Json), [name]: value });
    const { [name]: _, ...others } = full(schema, path) as Record<string, unknown>;
    return [
      { sample: `${at}: alone`, object: put(least(field, name)) },
      ...(isZeroAllowed(field) ? [{ sample: `${at}: zero`, object: put(zero(field)) }] : []),
      ...(isAny(field) || field.nullable === true || version === 'v1beta1'
        ? [{ sample: `${at}: null`, object: put(null) }]
        : []),
      ...(required.includes(name) ? [] : [{ sample: `${at}: absent`, object: around(others) }]),
      ...inside(field, at, version, put),
    ];
  });
  const ofItems = items === undefined ? [] : inside(items, `${path}[]`, version, (value) => around([value]));
  const ofEntries =
    entry === undefined
      ? []
      : [
          ...(isZeroAllowed(entry)
            ? [{ sample: `${path}{}: zero`, object: around({ b: zero(entry), a: least(entry, 'a') }) }]
            : []),
          ...(isAny(entry) ? [{ sample: `${path}{}: null`, object: around({ a: null }) }] : []),
          ...inside(entry, `${path}{}`, version, (value) => around({ a: value })),
        ];
  return [...fields, ...ofItems, ...ofEntries];
}

/** Only what is required; of a list one such item. */
function least(schema: StructuralSchema, name = ''): unknown {
  const { type, properties = {}, required = [], items, additionalProperties: entry } = schema;
  if (type === 'array') return items === undefined ? [] : [least(items, name)];
  if (type !== 'object') return scalar(schema, name);
  if (entry !== undefined) return { a: least(entry, 'a') };
  return Object.fromEntries(required.map((field) => [field, least(properties[field] ?? {}, field)]));
}

/** Every field, each text with another value. */
function full(schema: StructuralSchema, path: string): unknown {
  const { type, properties = {}, items, additionalProperties: entry } = schema;
  if (type === 'array') return items === undefined ? [] : [full(items, `${path}[]`)];
  if (type !== 'object') return scalar(schema, path);
  if (entry?.type === 'integer') return { b: 1, a: 2 };
  if (entry !== undefined) return { b: full(entry, `${path}.b`), a: full(entry, `${path}.a`) };
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, full(field, path === '' ? name : `${path}.${name}`)]),
  );
}

function scalar({ type, format, enum: allowed, minimum = 0, ...schema }: StructuralSchema, name: string): unknown {
  if (isAny(schema)) return { inner: [1, 'x'] };
  if (type === 'boolean') return true;
  if (type === 'integer') return Math.max(minimum, 7);
  if (allowed !== undefined) return allowed[0];
  if (format === 'date-time') return '2026-01-02T03:04:05Z';
  return name.endsWith('timeout') ? '1m30s' : name;
}

function zero(schema: StructuralSchema): unknown {
  const { type } = schema;
  if (isAny(schema)) return 0;
  if (type === 'object') return {};
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  return type === 'integer' ? 0 : '';
}

function isZeroAllowed({ type, format, pattern, enum: allowed, ...schema }: StructuralSchema): boolean {
  const { minimum = 0, minLength = 0, minItems = 0, minProperties = 0, required = [] } = schema;
  if (type === 'string' && (format === 'date-time' || minLength > 0)) return false;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test('')) return false;
  if (allowed !== undefined && !allowed.includes(zero({ ...schema, type: type ?? '' }))) return false;
  return minimum <= 0 && minItems === 0 && minProperties === 0 && required.length === 0;
}
