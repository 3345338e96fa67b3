import type { StructuralSchema } from '../../api/structural.ts';

/** What a field without a value is, by the type of its schema. */
const EMPTY: Readonly<Record<string, unknown>> = { object: {}, array: [], string: '', integer: 0, boolean: false };

const hasEmpty = ({ type = '', enum: allowed, format, ...schema }: StructuralSchema): boolean =>
  Object.hasOwn(EMPTY, type) &&
  schema['x-kubernetes-preserve-unknown-fields'] !== true &&
  allowed === undefined &&
  format !== 'date-time';

/**
 * The value with every field that its schema requires, empty where it was missing: objects are stored without such
 * fields when they were empty in v1beta1, but the API server refuses to create an object that lacks them.
 */
export function withRequired(value: unknown, schema: StructuralSchema): unknown {
  const { properties = {}, required = [], additionalProperties: entry, items } = schema;
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withRequired(item, items));
  if (typeof value !== 'object' || value === null) return value;
  const isGiven = (name: string): boolean => (value as Readonly<Record<string, unknown>>)[name] !== undefined;
  const missing = required.filter((name) => !isGiven(name) && hasEmpty(properties[name] ?? {}));
  const fields = [
    ...Object.entries(value),
    ...missing.map((name) => [name, EMPTY[properties[name]?.type ?? '']] as const),
  ];
  return Object.fromEntries(
    fields.map(([name, inner]) => {
      const field = Object.hasOwn(properties, name) ? properties[name] : entry;
      return [name, field === undefined ? inner : withRequired(inner, field)];
    }),
  );
}
