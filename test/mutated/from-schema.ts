import fc from 'fast-check';
import type { StructuralSchema } from '../../api/structural.ts';
import { oddText } from './odd-texts.ts';

/** Generators for fields by path, instead of from the schema: `spec.bmc.address`. */
export type Instead = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const LONGEST_LIST = 4;
const INT64 = 2 ** 53;
/** Years have four digits in RFC 3339. */
const LAST_DAY = new Date('9999-12-31T00:00:00Z');

/** Values that one of our schemas accepts, at and between its bounds. */
export function valuesOf(schema: StructuralSchema, path: string, instead: Instead = {}): fc.Arbitrary<unknown> {
  const given = instead[path];
  if (given !== undefined) return given;
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return fc.jsonValue();
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return objectsOf(schema, path, instead);
    case 'array':
      return listsOf(schema, path, instead);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.maxSafeInteger().map((value) => within(schema, value));
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case undefined:
    default:
      return textsOf(schema);
  }
}

/** Items of a keyed list have different keys, and a set has no duplicates. */
function listsOf(schema: StructuralSchema, path: string, instead: Instead): fc.Arbitrary<unknown> {
  const { minItems = 0, maxItems = LONGEST_LIST } = schema;
  const bounds = { minLength: minItems, maxLength: Math.min(maxItems, Math.max(LONGEST_LIST, minItems)) };
  const items = valuesOf(schema.items ?? {}, `${path}[]`, instead);
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys !== undefined) {
    const selector = (item: unknown): string =>
      JSON.stringify(keys.map((key) => (item as Readonly<Record<string, unknown>>)[key]));
    return fc.uniqueArray(items, { ...bounds, selector });
  }
  return schema['x-kubernetes-list-type'] === 'set' ? fc.uniqueArray(items, bounds) : fc.array(items, bounds);
}

function objectsOf(schema: StructuralSchema, path: string, instead: Instead): fc.Arbitrary<unknown> {
  if (schema.additionalProperties !== undefined) {
    return fc.dictionary(fc.string({ maxLength: 20 }), valuesOf(schema.additionalProperties, `${path}{}`, instead), {
      maxKeys: LONGEST_LIST,
      noNullPrototype: true,
    });
  }
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => [name, valuesOf(field, `${path}.${name}`, instead)] as const,
  );
  const { required = [], minProperties = 0 } = schema;
  return fc
    .record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true })
    .filter((value) => Object.keys(value).length >= minProperties);
}

function within({ format, minimum, maximum }: StructuralSchema, value: number): number {
  const [least, most] = format === 'int32' ? [-(2 ** 31), 2 ** 31 - 1] : [-INT64, INT64];
  return Math.min(Math.max(value, minimum ?? least), maximum ?? most);
}

const BY_PATTERN = new Map<string, fc.Arbitrary<string>>();

/** Created once for each pattern: those of IP addresses take a second. */
function matching(pattern: string): fc.Arbitrary<string> {
  const texts = BY_PATTERN.get(pattern) ?? fc.stringMatching(new RegExp(`^(?:${pattern})$`, 'u'));
  BY_PATTERN.set(pattern, texts);
  return texts;
}

/** Texts that match the pattern; without one, any text. */
function textsOf({ pattern, minLength = 0, maxLength, format }: StructuralSchema): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc.date({ min: new Date(0), max: LAST_DAY, noInvalidDate: true }).map((date) => date.toISOString());
  if (pattern !== undefined) return matching(pattern);
  const texts = fc.oneof({ weight: 3, arbitrary: fc.string({ maxLength: 40 }) }, { weight: 1, arbitrary: oddText });
  return texts.filter((text) => {
    const length = Array.from(text).length;
    return length >= minLength && length <= (maxLength ?? Number.POSITIVE_INFINITY);
  });
}
