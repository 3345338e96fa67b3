import fc from 'fast-check';
import type { StructuralSchema } from '../../api/structural.ts';
import { oddText } from './odd-texts.ts';

/** How a field is made up instead of from its schema, by its path: `spec.bmc.address`. */
export type Instead = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const LONGEST_LIST = 4;
const INT64 = 2 ** 53;
/** Years have four digits in RFC 3339. */
const LAST_DAY = new Date('9999-12-31T00:00:00Z');

/** Values that a schema of our own accepts, at and between its bounds. */
export function valuesOf(schema: StructuralSchema, path: string, instead: Instead = {}): fc.Arbitrary<unknown> {
  const given = instead[path];
  if (given !== undefined) return given;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return objectsOf(schema, path, instead);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, `${path}[]`, instead), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? LONGEST_LIST, Math.max(LONGEST_LIST, schema.minItems ?? 0)),
      });
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
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true });
}

const within = ({ minimum = -INT64, maximum = INT64 }: StructuralSchema, value: number): number =>
  Math.min(Math.max(value, minimum), maximum);

/** Patterns are met to the letter; without one any text will do. */
function textsOf({ pattern, minLength = 0, maxLength, format }: StructuralSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.date({ min: new Date(0), max: LAST_DAY }).map((date) => date.toISOString());
  if (pattern !== undefined) return fc.stringMatching(new RegExp(`^(?:${pattern})$`, 'u'));
  const texts = fc.oneof({ weight: 3, arbitrary: fc.string({ maxLength: 40 }) }, { weight: 1, arbitrary: oddText });
  return texts.filter((text) => {
    const length = Array.from(text).length;
    return length >= minLength && length <= (maxLength ?? Number.POSITIVE_INFINITY);
  });
}
