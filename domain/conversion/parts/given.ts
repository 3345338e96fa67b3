/** Values that v1beta1 treats as absent: null, an empty text, an empty list. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** The fields with a value. v1beta2 refuses empty texts and lists, which v1beta1 treats as absent. */
export const given = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as Partial<Fields>;

/** The object, or undefined when it has no fields. */
export const unlessEmpty = <Fields extends object>(fields: Fields | undefined): Fields | undefined =>
  fields === undefined || Object.keys(fields).length === 0 ? undefined : fields;

/** Orders texts by code units, as Go does. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
