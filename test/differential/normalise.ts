import { isObject } from '../../kube/merge-patch.ts';

const TIMES = new Set([
  'lastUpdated',
  'lastTransitionTime',
  'lastRemediated',
  'start',
  'end',
  'deletionTimestamp',
  'creationTimestamp',
  'timeAdded',
]);

/**
 * Replaces what differs between runs: times, uids, and in all other texts what `named` replaces. `special` answers for
 * values that a kind of story writes in another way, and undefined for all others.
 */
export function createNormal(
  named: (text: string) => string,
  special: (key: string, value: unknown) => unknown,
): (key: string, value: unknown) => unknown {
  const normal = (key: string, value: unknown): unknown => {
    const own = special(key, value);
    if (own !== undefined) return own;
    if (Array.isArray(value)) return value.map((item) => normal('', item));
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [named(name), normal(name, inner)]));
    if (typeof value !== 'string') return value;
    if (TIMES.has(key) && /^\d{4}-\d\d-\d\dT/.test(value)) return '<time>';
    return key === 'uid' ? '<uid>' : named(value);
  };
  return normal;
}
