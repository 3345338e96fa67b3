/** Plain JSON objects, as the API server reads and sends them. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON merge patch from one object to the other; undefined when they are equal. null and absent are equal, because
 * a merge patch cannot distinguish them; arrays are replaced as a whole.
 */
export function mergePatch(current: Json, wanted: Json): Json | undefined {
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(current), ...Object.keys(wanted)])) {
    const [from, to] = [current[key] ?? undefined, wanted[key] ?? undefined];
    if (to === undefined) {
      if (from !== undefined) patch[key] = null;
    } else if (isObject(to)) {
      const inner = mergePatch(isObject(from) ? from : {}, to);
      if (inner !== undefined || !isObject(from)) patch[key] = inner ?? {};
    } else if (!isSame(from, to)) patch[key] = to;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  if (isObject(a) && isObject(b)) return mergePatch(a, b) === undefined;
  return a === b;
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
