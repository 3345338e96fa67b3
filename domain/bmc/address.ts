import { isIpv6 } from '../go/ip.ts';
import { type GoUrl, isHostAndPort, parseUrl, splitHost } from '../go/url.ts';
import { BMC_KINDS, type BmcKind, FAKE_HARDWARE, FAKE_HARDWARE_SCHEME } from './schemes.ts';

/** The parts of a BMC address. */
export interface BmcAddress {
  /** The scheme in lower case; messages call it the type of the BMC driver. */
  readonly type: string;
  readonly kind: BmcKind;
  readonly transport: 'http' | 'https';
  /** Host and port as written, with the brackets of IPv6. */
  readonly host: string;
  /** The host without brackets. */
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly privilegeLevel: string;
}

export type ParsedBmcAddress =
  | { readonly kind: 'ok'; readonly address: BmcAddress }
  /** `problem` is the message of admission, `message` that of registration. */
  | { readonly kind: 'invalid'; readonly problem: string; readonly message: string };

const PREFIX = 'failed to parse BMC address information: ';

const invalid = (problem: string): ParsedBmcAddress => ({ kind: 'invalid', problem, message: `${PREFIX}${problem}` });

/**
 * Parses every form that users write: a URL, `scheme:rest`, and a bare host with or without a port, which means IPMI.
 * Never throws.
 */
export function parseBmcAddress(text: string, options: { readonly fakeHardware: boolean }): ParsedBmcAddress {
  const url = addressUrl(text);
  if (url === undefined) return invalid(`${PREFIX}${JSON.stringify(text)} is not a valid URL`);
  const { scheme, host, path, query } = url;
  const { hostname, port } = splitHost(host);
  if (hostname !== '' && !isBmcHost(hostname)) {
    return invalid(`${PREFIX}BMC address hostname/IP : [${hostname}] is invalid`);
  }
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

/**
 * A name before a colon is a scheme, even when a port follows: `bmc.example:623` has the unknown type `bmc.example`.
 */
function addressUrl(text: string): GoUrl | undefined {
  const url = parseUrl(text);
  if (url === undefined) return text.includes(':') && !isHostAndPort(text) ? undefined : ipmiAt(text);
  if (url.opaque !== '') return parseUrl(text.replace(':', '://'));
  return url.scheme === '' && splitHost(url.host).hostname === '' ? parseUrl(`ipmi://${text}`) : url;
}

const ipmiAt = (host: string): GoUrl => ({ scheme: 'ipmi', opaque: '', host, path: '', query: '' });

const kindOf = (scheme: string): BmcKind | undefined =>
  Object.hasOwn(BMC_KINDS, scheme) ? BMC_KINDS[scheme] : undefined;

function isTransportOf(kind: BmcKind, transport: string | undefined, scheme: string): boolean {
  if (transport === undefined) return !scheme.includes('+');
  return kind.family === 'redfish' && /^[^+]+\+https?$/.test(scheme);
}

function queryValue(query: string, key: string): string {
  return new URLSearchParams(query).get(key) ?? '';
}

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** True for an IP address or a DNS name. A malformed IPv4 address counts as a name and fails when it is used. */
export const isBmcHost = (text: string): boolean =>
  isIpv6(text) || text.split('.').every((label) => DNS_LABEL.test(label));
