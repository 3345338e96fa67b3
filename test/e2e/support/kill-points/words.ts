import type { Write } from './gate.ts';

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const textsOf = (...values: readonly unknown[]): readonly string[] =>
  values.filter((value): value is string => typeof value === 'string');

const segmentsOf = (path: string): readonly string[] => path.split('/').filter(Boolean).map(decodeURIComponent);

/** The names of objects in a write: in its path or, when it creates something, in its body. */
export function namesIn({ path, body }: Write): readonly string[] {
  const { name, metadata, involvedObject } = objectOf(body);
  return [...segmentsOf(path), ...textsOf(name, objectOf(metadata)['name'], objectOf(involvedObject)['name'])];
}

/** A write without the names of objects: method, kind, subresource, and the target of a node. */
export function labelOf({ method, path, body }: Write): string {
  const segments = segmentsOf(path);
  const { target, data } = objectOf(body);
  const state = objectOf(data)['state'];
  return [method, ...kindOf(segments), ...textsOf(target, state)].join(' ');
}

/** How long a path is before the kind of an object without a namespace; else it is one of Ironic. */
const ROOTS: Readonly<Record<string, number>> = { api: 2, apis: 3 };

function kindOf(segments: readonly string[]): readonly string[] {
  const root = segments.indexOf('namespaces');
  const start = root === -1 ? (ROOTS[segments[0] ?? ''] ?? 1) : root + 2;
  const [kind = '', , ...sub] = segments.slice(start);
  return [[kind, ...sub].join('/')];
}
