/** By default undefined equals absent. */
const isThere = (field: unknown): boolean => field !== undefined;

/**
 * Plain JSON with the keys of its objects in order, without the fields that do not count: equal values have one text.
 */
export function canonical(value: unknown, counts: (field: unknown) => boolean = isThere): unknown {
  if (Array.isArray(value)) return value.map((each) => canonical(each, counts));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => counts(field));
  return Object.fromEntries(
    fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, field]) => [key, canonical(field, counts)]),
  );
}
