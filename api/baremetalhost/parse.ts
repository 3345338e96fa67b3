import type { z } from 'zod';
import { bareMetalHost } from './schema.ts';
import type { BareMetalHost } from './types.ts';

export type ParsedBareMetalHost =
  | { readonly ok: true; readonly host: BareMetalHost }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads a host as the API server hands it out and leaves unknown fields behind. A host without a spec passes
 * the API server; it is one that nobody wants on.
 */
export function parseBareMetalHost(object: unknown): ParsedBareMetalHost {
  const wanted = typeof object === 'object' && object !== null ? { spec: { online: false }, ...object } : object;
  const result = bareMetalHost.safeParse(wanted);
  return result.success
    ? { ok: true, host: result.data }
    : { ok: false, problems: result.error.issues.map(describeIssue) };
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  const field = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return `${field.replace(/^\./, '') || 'object'}: ${message}`;
}
