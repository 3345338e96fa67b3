/** The entries with these keys. */
export const only = <Value>(
  all: Readonly<Record<string, Value>>,
  keys: ReadonlySet<string>,
): Readonly<Record<string, Value>> => Object.fromEntries(Object.entries(all).filter(([key]) => keys.has(key)));
