import { createHash } from 'node:crypto';
import { isObject } from '../kube/merge-patch.ts';

/** A digest of plain JSON; the order of keys does not matter, and undefined equals absent. */
export const digestOf = (value: unknown): string => hashOf(value, (each) => each !== undefined);

/** The same, but null equals absent too, as in merge patches. */
export const digestOfStatus = (status: unknown): string =>
  hashOf(status, (each) => each !== undefined && each !== null);

const hashOf = (value: unknown, counts: (field: unknown) => boolean): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(value, counts)) ?? '')
    .digest('base64url');

function canonical(value: unknown, counts: (field: unknown) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => canonical(each, counts));
  if (!isObject(value)) return value;
  const keys = Object.keys(value)
    .filter((key) => counts(value[key]))
    .toSorted();
  return Object.fromEntries(keys.map((key) => [key, canonical(value[key], counts)]));
}
