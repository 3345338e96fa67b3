import { isBmcHost } from './host-name.ts';
import { BMC_KINDS, type BmcKind, FAKE_HARDWARE, FAKE_HARDWARE_SCHEME } from './schemes.ts';

/** A BMC address taken apart. */
export interface BmcAddress {
  /** The scheme as written, in lower case: what messages call the BMC driver's type. */
  readonly type: string;
  readonly kind: BmcKind;
  readonly transport: 'http' | 'https';
  /** Host and port as written, brackets of IPv6 included. */
  readonly host: string;
  /** Host alone, without brackets. */
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly privilegeLevel: string;
}

export type ParsedBmcAddress =
  | { readonly kind: 'ok'; readonly address: BmcAddress }
  | { readonly kind: 'invalid'; readonly message: string };

const invalid = (detail: string): ParsedBmcAddress => ({
  kind: 'invalid',
  message: `failed to parse BMC address information: ${detail}`,
});

/** Reads every form users write: URL, `scheme:rest`, and a bare host with or without port, which means IPMI. Never throws. */
export function parseBmcAddress(text: string, options: { readonly fakeHardware: boolean }): ParsedBmcAddress {
  const { scheme, rest } = splitScheme(text);
  const [beforeQuery, query] = cut(cut(rest, '#')[0], '?');
  const slash = beforeQuery.indexOf('/');
  const authority = slash < 0 ? beforeQuery : beforeQuery.slice(0, slash);
  const path = slash < 0 ? '' : decoded(beforeQuery.slice(slash));
  const host = authority.slice(authority.lastIndexOf('@') + 1);

  const place = splitPort(host);
  if (place === undefined) return invalid(`address ${host}: malformed host or port`);
  const { hostname, port } = place;
  if (hostname !== '' && !isBmcHost(hostname)) return invalid(`BMC address hostname/IP : [${hostname}] is invalid`);

  const [base = '', transport] = scheme.split('+', 2);
  const kind = base === FAKE_HARDWARE_SCHEME && options.fakeHardware ? FAKE_HARDWARE : kindOf(base);
  if (kind === undefined || !isTransportOf(kind, transport, scheme)) {
    return invalid(`Unknown BMC type '${scheme}' for address ${text}`);
  }
  return {
    kind: 'ok',
    address: {
      type: scheme,
      kind,
      transport: transport === 'http' ? 'http' : 'https',
      host,
      hostname,
      port,
      path,
      privilegeLevel: queryValue(query, 'privilegelevel'),
    },
  };
}

const kindOf = (scheme: string): BmcKind | undefined =>
  Object.hasOwn(BMC_KINDS, scheme) ? BMC_KINDS[scheme] : undefined;

function isTransportOf(kind: BmcKind, transport: string | undefined, scheme: string): boolean {
  if (transport === undefined) return !scheme.includes('+');
  return kind.family === 'redfish' && /^[^+]+\+https?$/.test(scheme);
}

/** A word before a colon is a scheme, unless what follows can only be a port. */
function splitScheme(text: string): { readonly scheme: string; readonly rest: string } {
  const match = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(text);
  const scheme = match?.[1]?.toLowerCase();
  const rest = match?.[2];
  if (scheme === undefined || rest === undefined) return { scheme: 'ipmi', rest: text.replace(/^\/\//, '') };
  if (rest.startsWith('//')) return { scheme, rest: rest.slice(2) };
  const isPort = /^\d{1,5}(\/|\?|#|$)/.test(rest) && kindOf(scheme.split('+')[0] ?? '') === undefined;
  return isPort ? { scheme: 'ipmi', rest: text } : { scheme, rest };
}

/** undefined: neither `host`, `host:port`, `[v6]` nor `[v6]:port`. */
function splitPort(host: string): { readonly hostname: string; readonly port: string } | undefined {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/s.exec(host);
  if (match === null || Number(match[3] ?? '') > 65_535) return undefined;
  return { hostname: match[1] ?? match[2] ?? '', port: match[3] ?? '' };
}

function cut(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function queryValue(query: string, key: string): string {
  const pair = query.split('&').find((part) => cut(part, '=')[0] === key);
  return pair === undefined ? '' : decoded(cut(pair, '=')[1]);
}

/** Percent signs that encode nothing stay as they are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
