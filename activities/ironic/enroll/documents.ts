import { parse } from 'yaml';
import type { IronicJson } from '../../../domain/ironic/node/node-json.ts';
import { HostDataError } from '../../host-data.ts';

/** Parses YAML or JSON of a Secret to an object. Errors have the position, never the content. */
export function parseDocument(text: string | undefined, what: string): IronicJson | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = parse(text, { prettyErrors: false, logLevel: 'error', maxAliasCount: 100 });
  } catch (error) {
    const place = error instanceof Error && 'code' in error ? `: ${String(error.code)}` : '';
    // The cause is left out, because the parser's message may quote the text.
    throw new DocumentError(`${what} is neither YAML nor JSON${place}`);
  }
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw new DocumentError(`${what} is not an object`);
  return value as IronicJson;
}

/** A user's text is invalid: only a change of it helps. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/** True for missing or invalid content of the host's own Secrets; false for errors while reading them. */
export const isUsersFault = (error: unknown): boolean =>
  error instanceof DocumentError || error instanceof HostDataError;
