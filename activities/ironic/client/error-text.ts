import { BOUNDS } from '../../../domain/bounds/bounds.ts';
import { maybeJson } from '../../../domain/bounds/json.ts';

const LONGEST = 2_000;

/**
 * Extracts Ironic's message from the body of an error: text, JSON, or JSON in a string in JSON. Never empty. Of a longer
 * body than an error of Ironic has, only the beginning is read.
 */
export function errorText(body: string, status: number): string {
  const begin = body.slice(0, BOUNDS.ironicError.characters);
  const words = wordsOf(parsed(begin) ?? begin).trim();
  const text = words === '' ? `HTTP status ${status} without a reason` : words;
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)} …`;
}

/**
 * True for an error in Ironic's own format. Proxies, load balancers and other servers have pages and formats of their
 * own, and know nothing of its nodes.
 */
export function isIronicsOwn(body: string): boolean {
  const message = asRecord(parsed(body.slice(0, BOUNDS.ironicError.characters)))['error_message'];
  const fault = typeof message === 'string' ? parsed(message) : message;
  return typeof asRecord(fault)['faultstring'] === 'string';
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

function wordsOf(value: unknown): string {
  if (typeof value === 'string') {
    const inner = parsed(value);
    return inner === undefined ? plain(value) : wordsOf(inner);
  }
  if (typeof value !== 'object' || value === null) return '';
  for (const key of ['faultstring', 'error_message', 'message', 'title', 'error']) {
    const words = wordsOf((value as Readonly<Record<string, unknown>>)[key]);
    if (words !== '') return words;
  }
  return '';
}

/** A proxy in front of Ironic answers with an HTML page. */
function plain(text: string): string {
  if (!/^\s*<(!doctype|html)/i.test(text)) return text;
  const title = /<title>/i.exec(text);
  if (title === null) return '';
  const rest = text.slice(title.index + title[0].length);
  const end = rest.search(/<\/title>/i);
  return end === -1 ? '' : rest.slice(0, end).trim();
}

function parsed(text: string): object | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const value = maybeJson(text, BOUNDS.ironicError);
  return typeof value === 'object' && value !== null ? value : undefined;
}
