/** What v1beta1 takes for left out: nothing, an empty text, an empty list. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** The fields that say something. v1beta2 refuses empty texts and lists where v1beta1 took them for left out. */
export const given = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as Partial<Fields>;

/** The object, unless it has no fields at all. */
export const unlessEmpty = <Fields extends object>(fields: Fields | undefined): Fields | undefined =>
  fields === undefined || Object.keys(fields).length === 0 ? undefined : fields;

/** Order of texts by their code units, as Go sorts what Kubernetes names. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
