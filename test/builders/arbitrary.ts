import fc from 'fast-check';
import type { StructuralSchema } from '../../api/structural.ts';

/**
 * Any value that the API server accepts for a schema. `texts` has useful texts by the name of a field; other fields get
 * any text.
 */
export function arbitraryOf(
  schema: StructuralSchema,
  texts: Readonly<Record<string, fc.Arbitrary<string>>> = {},
  field = '',
): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return objectOf(schema, texts);
    case 'array': {
      const { items = {}, minItems = 0, maxItems = minItems + 3 } = schema;
      const list = fc.array(arbitraryOf(items, texts, field), { minLength: minItems, maxLength: maxItems });
      return schema.nullable === true ? fc.option(list) : list;
    }
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -10, max: schema.maximum ?? 1_000 });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case undefined:
    default:
      return textOf(schema, texts[field]);
  }
}

function objectOf(
  schema: StructuralSchema,
  texts: Readonly<Record<string, fc.Arbitrary<string>>>,
): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, property]) => [name, arbitraryOf(property, texts, name)] as const,
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
}

function textOf({ pattern, maxLength = 40, format }: StructuralSchema, known: fc.Arbitrary<string> | undefined) {
  if (format === 'date-time') return fc.constant('2026-01-01T00:00:00Z');
  if (pattern === undefined) return known ?? fc.string({ maxLength: Math.min(maxLength, 40) });
  const any = fc.stringMatching(new RegExp(pattern));
  return known === undefined ? any : fc.oneof(any, known);
}
