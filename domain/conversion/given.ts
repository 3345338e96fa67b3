/** Values that v1beta1 treats as absent: null, an empty text, an empty list. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** The fields with a value. v1beta2 refuses empty texts and lists, which v1beta1 treats as absent. */
export const given = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as Partial<Fields>;

/** Maps with keys of the user, and conditions, some of whose texts are always shown. */
const AS_IT_IS: readonly string[] = ['matchLabels', 'attributes', 'parameters', 'labels', 'annotations', 'conditions'];
/** An empty value of these differs from none, in one version at least. */
const ALSO_EMPTY: readonly string[] = ['failureReason', 'failureMessage', 'operator', 'values', 'bondLinks', 'timeout'];

/** The value without fields that are an empty text or an empty list, at any depth: both versions read them as absent. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, field]) => !isEmpty(field) || ALSO_EMPTY.includes(name))
      .map(([name, field]) => [name, AS_IT_IS.includes(name) ? field : withoutEmpty(field)]),
  );
}

/** The object, or undefined when it has no fields. */
export const unlessEmpty = <Fields extends object>(fields: Fields | undefined): Fields | undefined =>
  fields === undefined || Object.keys(fields).length === 0 ? undefined : fields;

/** Orders texts by code units, as Go does. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
