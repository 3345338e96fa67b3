import { ipLiteralProblem } from './ip.ts';
import { quote } from './quote.ts';

/** Parses URLs like Go's net/url, with its error messages: they decide which addresses and images are accepted. */
export interface GoUrl {
  /** In lower case. */
  readonly scheme: string;
  /** Everything after `scheme:` when no slash follows. */
  readonly opaque: string;
  /** Host and port as written, with the brackets of IPv6. */
  readonly host: string;
  /** Percent signs decoded. */
  readonly path: string;
  readonly query: string;
}

export type ParsedUrl =
  | { readonly ok: true; readonly url: GoUrl }
  /** `message` is complete: it includes the text. */
  | { readonly ok: false; readonly message: string };

/** Any URL, including relative ones and those with a fragment. */
export function parseUrl(text: string): ParsedUrl {
  const [url, fragment] = cut(text, '#');
  try {
    const parsed = parse(url, false);
    return explained(text, () => (unescape(fragment, 'elsewhere'), parsed));
  } catch (error) {
    return refused(url, error);
  }
}

/** An absolute URL or path, as in a request. */
export const parseRequestUri = (text: string): ParsedUrl => explained(text, () => parse(text, true));

/** Host without port and brackets, and the port. */
export function splitHost(host: string): { readonly hostname: string; readonly port: string } {
  const colon = host.lastIndexOf(':');
  const hasPort = colon >= 0 && isOptionalPort(host.slice(colon));
  const bare = hasPort ? host.slice(0, colon) : host;
  const hostname = bare.startsWith('[') && bare.endsWith(']') ? bare.slice(1, -1) : bare;
  return { hostname, port: hasPort ? host.slice(colon + 1) : '' };
}

/** `host:port` or `[v6]:port`, without checking the host. */
export const isHostAndPort = (text: string): boolean => /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/s.test(text);

class UrlProblem extends Error {
  override readonly name = 'UrlProblem';
}

function explained(text: string, read: () => GoUrl): ParsedUrl {
  try {
    return { ok: true, url: read() };
  } catch (error) {
    return refused(text, error);
  }
}

function refused(text: string, error: unknown): ParsedUrl {
  if (!(error instanceof UrlProblem)) throw error;
  return { ok: false, message: `parse ${quote(text)}: ${error.message}` };
}

function parse(text: string, isRequest: boolean): GoUrl {
  if (Array.from(text).some(isControl)) throw new UrlProblem('net/url: invalid control character in URL');
  if (text === '' && isRequest) throw new UrlProblem('empty url');
  if (text === '*') return { scheme: '', opaque: '', host: '', path: '*', query: '' };
  const [scheme, afterScheme] = splitScheme(text);
  const [rest, query] = cut(afterScheme, '?');
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { scheme, opaque: rest, host: '', path: '', query };
    if (isRequest) throw new UrlProblem('invalid URI for request');
    if (cut(rest, '/')[0].includes(':')) throw new UrlProblem('first path segment in URL cannot contain colon');
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!isRequest && !rest.startsWith('///')));
  if (!hasAuthority) return { scheme, opaque: '', host: '', path: unescape(rest, 'elsewhere'), query };
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  const host = hostOf(scheme, authority);
  return { scheme, opaque: '', host, path: slash < 0 ? '' : unescape(rest.slice(slash), 'elsewhere'), query };
}

function splitScheme(text: string): readonly [scheme: string, rest: string] {
  if (text.startsWith(':')) throw new UrlProblem('missing protocol scheme');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1];
  return scheme === undefined ? ['', text] : [scheme.toLowerCase(), text.slice(scheme.length + 1)];
}

function hostOf(scheme: string, authority: string): string {
  const at = authority.lastIndexOf('@');
  const host = readHost(scheme, authority.slice(at + 1));
  if (at < 0) return host;
  const user = authority.slice(0, at);
  if (!/^[a-z0-9._:~!$&'()*+,;=%@-]*$/i.test(user)) throw new UrlProblem('net/url: invalid userinfo');
  unescape(user, 'elsewhere');
  return host;
}

function readHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new UrlProblem('invalid IP-literal');
  if (open === 0) return readLiteral(host);
  const isStrict = scheme === 'http' || scheme === 'https';
  const colon = isStrict ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return unescape(host, 'host');
}

function readLiteral(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new UrlProblem("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const inside = host.slice(1, close);
  const zone = inside.indexOf('%25');
  const address =
    zone < 0
      ? unescape(inside, 'host')
      : unescape(inside.slice(0, zone), 'host') + unescape(inside.slice(zone), 'zone');
  const problem = ipLiteralProblem(address);
  if (problem !== undefined) throw new UrlProblem(problem);
  return `[${address}]${port}`;
}

const isOptionalPort = (text: string): boolean => /^(?::\d*)?$/.test(text);

function checkPort(text: string): void {
  if (!isOptionalPort(text)) throw new UrlProblem(`invalid port ${quote(text)} after host`);
}

type Place = 'host' | 'zone' | 'elsewhere';

/** ASCII characters that are not allowed in a host; in a zone they are allowed, except percent-encoded. */
const NOT_IN_HOST = /[ \\^`{|}]/;

const isControl = (char: string): boolean => char < ' ' || char === '\x7f';

function unescape(text: string, place: Place): string {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; ) {
    const char = String.fromCodePoint(text.codePointAt(index) ?? 0);
    if (char !== '%') {
      if (place !== 'elsewhere' && NOT_IN_HOST.test(char)) {
        throw new UrlProblem(`invalid character ${quote(char)} in host name`);
      }
      bytes.push(...new TextEncoder().encode(char));
      index += char.length;
      continue;
    }
    const code = /^%([0-9a-f]{2})/i.exec(text.slice(index))?.[1];
    if (code === undefined || isForbidden(Number.parseInt(code, 16), place)) {
      throw new UrlProblem(`invalid URL escape ${quote(text.slice(index, index + 3))}`);
    }
    bytes.push(Number.parseInt(code, 16));
    index += 3;
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/**
 * In a host, percent-encoding is for non-ASCII characters only; in a zone it is also for characters allowed in a host,
 * and for a space.
 */
function isForbidden(byte: number, place: Place): boolean {
  switch (place) {
    case 'elsewhere':
      return false;
    case 'host':
      return byte < 0x80 && byte !== 0x25;
    case 'zone':
      return byte !== 0x25 && byte !== 0x20 && (byte >= 0x80 || !isHostByte(byte));
  }
}

const isHostByte = (byte: number): boolean => /[a-z0-9._~!"$&'()*+,:;<=>[\]-]/i.test(String.fromCharCode(byte));

function cut(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
