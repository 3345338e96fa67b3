/**
 * Reads each object once, for as long as somebody holds it: caches put another in its place when it changes. What comes
 * of it is shared and must not be written to.
 */
export function once<T>(read: (object: unknown) => T): (object: unknown) => T {
  const known = new WeakMap<object, { readonly value: T }>();
  return (object) => {
    if (typeof object !== 'object' || object === null) return read(object);
    const found = known.get(object);
    if (found !== undefined) return found.value;
    const value = read(object);
    known.set(object, { value });
    return value;
  };
}
