/**
 * Parses each object once, for as long as the object is referenced: caches replace a changed object. The result is
 * shared and must not be changed.
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
