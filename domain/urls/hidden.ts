/**
 * URLs of images may contain secrets: `user:password@`, and the signature in the query of a presigned URL. Histories,
 * Events, messages and logs show such URLs without them.
 */

/** Scheme, user, host with path and fragment, query. */
const URL_PARTS = /^\s*([a-z][a-z\d+.-]*:[\\/]*)([^\\/?#]*@)?([^?]*)(\?[^]*)?$/i;
/** The query that stands for the secrets of a sealed URL: a digest of the whole URL. */
const SEAL = /^\?hidden=[\da-f]{32}$/;

/** The URL without user and query; any other text is unchanged. */
export function publicPart(url: string): string {
  const [, scheme, , rest] = URL_PARTS.exec(url) ?? [];
  return scheme === undefined || rest === undefined ? url : `${scheme}${rest}`;
}

/** True for a URL with a user or a query that is not sealed. */
export function hasSecrets(url: string): boolean {
  const [, , user, , query] = URL_PARTS.exec(url) ?? [];
  return user !== undefined || (query !== undefined && !SEAL.test(query));
}

/** The digest is of 32 hexadecimal digits. */
export const withSeal = (url: string, digest: string): string => `${publicPart(url)}?hidden=${digest}`;

export function isSealed(url: string): boolean {
  const [, , user, , query] = URL_PARTS.exec(url) ?? [];
  return user === undefined && query !== undefined && SEAL.test(query);
}

/**
 * True when both name the same file. A URL that was remembered before URLs were sealed is compared without its secrets:
 * an upgrade must not take it for another image.
 */
export const isSameUrl = (one: string, other: string): boolean =>
  one === other ||
  (((isSealed(one) && hasSecrets(other)) || (hasSecrets(one) && isSealed(other))) &&
    publicPart(one) === publicPart(other));

/** A URL within a text; its slashes may be escaped. The pattern never backtracks, because texts can have any length. */
const URL_IN_TEXT = /:(?:\\?\/){2}[^\s"'<>]*/g;
const USER_IN_URL = /(:(?:\\?\/){2})[^\s/?#"'<>\\]*@/g;

/** Replaces users and queries of all URLs in a text. */
export const withoutUrlSecrets = (text: string): string =>
  text.replaceAll(URL_IN_TEXT, (url) => {
    const end = url.indexOf('?');
    const shown = (end === -1 ? url : url.slice(0, end)).replaceAll(USER_IN_URL, '$1***@');
    return end === -1 ? shown : `${shown}?***`;
  });

const SHORTEST_VALUE = 8;

/** The secrets in a URL, so that they can be searched for in other texts. */
export function secretsIn(url: string): readonly string[] {
  if (!hasSecrets(url)) return [];
  const [, , user = '', , query = ''] = URL_PARTS.exec(url) ?? [];
  const [, password = ''] = /^[^:]*:([^]*)@$/.exec(user) ?? [];
  const values = query
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const long = values.filter((value) => value.length >= SHORTEST_VALUE);
  return [user.slice(0, -1), password, query.slice(1), ...long].flatMap((secret) => [secret, decoded(secret)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
