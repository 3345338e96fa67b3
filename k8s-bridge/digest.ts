import { createHash } from 'node:crypto';
import { canonical } from '../domain/canonical.ts';

/** A digest of plain JSON; the order of keys does not matter, and undefined equals absent. */
export const digestOf = (value: unknown): string => hashOf(canonical(value));

/** Like `digestOf`, but null equals absent too, as in merge patches. */
export const digestOfStatus = (status: unknown): string =>
  hashOf(canonical(status, (each) => each !== undefined && each !== null));

const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url');
