import { isIpLiteral } from './ip.ts';

/** The parts of a URL. We accept what Go's net/url accepts, because manifests are written for upstream. */
export interface GoUrl {
  /** In lower case. */
  readonly scheme: string;
  /** Everything after `scheme:` when no slash follows. */
  readonly opaque: string;
  /** Host and port as written, with the brackets of IPv6. */
  readonly host: string;
  /** Percent-decoded. */
  readonly path: string;
  readonly query: string;
}

/** Any URL, including relative ones and those with a fragment; undefined when the text is not valid. */
export function parseUrl(text: string): GoUrl | undefined {
  const [, url = '', fragment = ''] = /^([^#]*)#?(.*)$/s.exec(text) ?? [];
  return percentDecoded(fragment) === undefined ? undefined : parse(url, 'reference');
}

/** An absolute URL or path, as in a request; undefined when the text is not valid. */
export const parseRequestUri = (text: string): GoUrl | undefined => (text === '' ? undefined : parse(text, 'request'));

/** Host without port and brackets, and the port. */
export function splitHost(host: string): { readonly hostname: string; readonly port: string } {
  const [, bare = host, port = ''] = /^(.*):(\d*)$/s.exec(host) ?? [];
  const hostname = bare.startsWith('[') && bare.endsWith(']') ? bare.slice(1, -1) : bare;
  return { hostname, port };
}

/** `host:port` or `[v6]:port`, without checking the host. */
export const isHostAndPort = (text: string): boolean => /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/s.test(text);

const EMPTY: GoUrl = { scheme: '', opaque: '', host: '', path: '', query: '' };

function parse(text: string, kind: 'reference' | 'request'): GoUrl | undefined {
  if (Array.from(text).some((char) => char < ' ' || char === '\x7f') || text.startsWith(':')) return undefined;
  if (text === '*') return { ...EMPTY, path: '*' };
  const [, written = '', rest = '', query = ''] = /^(?:([a-z][a-z0-9+.-]*):)?([^?]*)\??(.*)$/is.exec(text) ?? [];
  const scheme = written.toLowerCase();
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...EMPTY, scheme, opaque: rest, query };
    if (kind === 'request' || /^[^/]*:/.test(rest)) return undefined;
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (kind === 'reference' && !rest.startsWith('///')));
  const [, authority = '', rawPath = ''] = hasAuthority ? (/^\/\/([^/]*)(.*)$/s.exec(rest) ?? []) : ['', '', rest];
  const host = hasAuthority ? hostOf(scheme, authority) : '';
  const path = percentDecoded(rawPath);
  return host === undefined || path === undefined ? undefined : { scheme, opaque: '', host, path, query };
}

const USER = /^(?:[a-z0-9._:~!$&'()*+,;=@-]|%[0-9a-f]{2})*$/i;

function hostOf(scheme: string, authority: string): string | undefined {
  const [, user = '', host = ''] = /^(?:(.*)@)?([^@]*)$/s.exec(authority) ?? [];
  if (!USER.test(user)) return undefined;
  return host.includes('[') ? literalHost(host) : namedHost(scheme, host);
}

/** A valid host: percent-encoding is allowed only for non-ASCII characters and the percent sign. */
const HOST = /^(?:[^ \\^`{|}%]|%25|%[89a-f][0-9a-f])*$/i;

function namedHost(scheme: string, host: string): string | undefined {
  // A web server's host has one colon at most; in BMC addresses Go checks only what follows the last one.
  const port = (scheme === 'http' || scheme === 'https' ? /:.*$/s : /:[^:]*$/s).exec(host)?.[0] ?? '';
  return HOST.test(host) && isOptionalPort(port) ? percentDecoded(host) : undefined;
}

function literalHost(host: string): string | undefined {
  const [, written = '', zone = '', port] = /^\[((?:(?!%25)[^[])*)(%25[^[]*)?\]([^\]]*)$/.exec(host) ?? [];
  if (port === undefined || !isOptionalPort(port) || !HOST.test(written) || !isZone(zone)) return undefined;
  const address = percentDecoded(written + zone);
  return address !== undefined && isIpLiteral(address) ? `[${address}]${port}` : undefined;
}

/**
 * True for a valid zone: percent-encoding is also allowed for a space and for characters that are allowed in a host.
 */
const isZone = (zone: string): boolean =>
  !/[ \\^`{|}]/.test(zone) &&
  percentDecoded(zone) !== undefined &&
  (zone.match(/%../g) ?? []).every((escape) => /^[\w.~!"$&'()*+,:;<=>[\]% -]$/.test(decodeByte(escape)));

const isOptionalPort = (text: string): boolean => /^(?::\d*)?$/.test(text);

const decodeByte = (escape: string): string => String.fromCharCode(Number.parseInt(escape.slice(1), 16));

/** undefined when a percent sign does not begin an escape. Bytes that are not UTF-8 are replaced. */
function percentDecoded(text: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      Uint8Array.from(escapes.match(/%../g) ?? [], (escape) => decodeByte(escape).charCodeAt(0)),
    ),
  );
}
