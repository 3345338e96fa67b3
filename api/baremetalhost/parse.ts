import type { z } from 'zod';
import { bareMetalHost } from './schema.ts';
import type { BareMetalHost } from './types.ts';

export type ParsedBareMetalHost =
  | { readonly ok: true; readonly host: BareMetalHost }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Parses a host as the API server returns it; unknown fields are dropped. A host without a spec is valid and stays
 * powered off.
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
