import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { parse } from 'yaml';
import { z } from 'zod';
import { BOUNDS } from '../../domain/bounds/bounds.ts';
import type { FixedAccess } from '../../kube/access.ts';

/**
 * A tenant writes the kubeconfig of a workload cluster, and the library's reader runs commands, reads files and uses
 * proxies that a kubeconfig names. This reader knows inline data alone and refuses everything else by the field's name.
 */
export class RefusedKubeconfig extends Error {
  override readonly name = 'RefusedKubeconfig';
}

/** A larger key would keep the process busy at each handshake: for 24 ms with twice as many. */
const LARGEST_RSA_BITS = 4_096;

const NOT_ALLOWED = 'is not allowed';
const NOT_LISTED = 'is not one of WORKLOAD_CLUSTER_PROXIES, which the operator sets';
const forbidden = z.literal([null, ''], { error: NOT_ALLOWED }).optional();
/** Base64 of PEM. */
const pem = z
  .base64({ error: 'is not base64' })
  .transform((value) => Buffer.from(value, 'base64').toString('latin1'))
  .refine((text) => text.includes('-----BEGIN '), { error: 'is not PEM' });
/** A line break would begin another header. */
const token = z.string({ error: 'is not a text' }).regex(/^[\x21-\x7e]+$/, { error: 'is not a token' });
const serverName = z.string({ error: 'is not a text' }).regex(/^[\w.:-]{1,253}$/, { error: 'is not a name' });

const cluster = z.object({
  server: z.string({ error: 'is missing' }).superRefine((value, context) => {
    const problem = serverProblem(value);
    if (problem !== undefined) context.addIssue(problem);
  }),
  'certificate-authority-data': pem.nullish(),
  'tls-server-name': serverName.nullish(),
  'certificate-authority': forbidden,
  'proxy-url': z.string({ error: 'is not a text' }).nullish(),
  'insecure-skip-tls-verify': z.literal([false, null], { error: NOT_ALLOWED }).optional(),
});

const user = z.object({
  'client-certificate-data': pem.nullish(),
  'client-key-data': pem.nullish(),
  token: token.nullish(),
  exec: forbidden,
  'auth-provider': forbidden,
  'client-certificate': forbidden,
  'client-key': forbidden,
  tokenFile: forbidden,
  username: forbidden,
  password: forbidden,
  as: forbidden,
  'as-uid': forbidden,
  'as-groups': forbidden,
  'as-user-extra': forbidden,
});

const named = <Key extends string>(key: Key) =>
  z.array(z.object({ name: z.string(), [key]: z.unknown() } as { name: z.ZodString } & Record<Key, z.ZodUnknown>));
const outline = z.object(
  {
    'current-context': z.string({ error: 'is missing' }),
    contexts: z.array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string() }) })),
    clusters: named('cluster'),
    users: named('user'),
  },
  { error: 'is malformed' },
);

/**
 * How to reach the cluster of the current context; throws `RefusedKubeconfig`, whose message quotes no value, or
 * the YAML parser's error. `listed`: the proxies that it may name.
 */
export function readKubeconfig(text: string, listed: readonly string[]): FixedAccess {
  const config = checked(outline, document(text), '');
  const context = config.contexts.find(({ name }) => name === config['current-context'])?.context;
  if (context === undefined) throw new RefusedKubeconfig('current-context names no context');
  const at = config.clusters.findIndex(({ name }) => name === context.cluster);
  const who = config.users.findIndex(({ name }) => name === context.user);
  if (at === -1) throw new RefusedKubeconfig('the current context names no cluster');
  if (who === -1) throw new RefusedKubeconfig('the current context names no user');
  const where = checked(cluster, config.clusters[at]?.cluster, `clusters[${at}].cluster`);
  const own = checked(user, config.users[who]?.user ?? {}, `users[${who}].user`);
  const [ca, cert, key] = [where['certificate-authority-data'], own['client-certificate-data'], own['client-key-data']];
  if (ca) certificates(ca, `clusters[${at}].cluster.certificate-authority-data`);
  if (cert) certificates(cert, `users[${who}].user.client-certificate-data`);
  if (key) privateKey(key, `users[${who}].user.client-key-data`);
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  attempt(`users[${who}].user.client-key-data does not fit the certificate`, () => createSecureContext(tls));
  const servername = where['tls-server-name'];
  const named = where['proxy-url'];
  const proxy = named ? listed.find((each) => isSameProxy(each, named)) : undefined;
  if (named && proxy === undefined) throw new RefusedKubeconfig(`clusters[${at}].cluster.proxy-url ${NOT_LISTED}`);
  return {
    server: where.server,
    tls: { ...tls, ...(servername && { servername }) },
    ...(own.token && { token: own.token }),
    ...(proxy !== undefined && { proxy }),
  };
}

/** Throws the parser's error for a text that is not YAML: its message may quote the text. */
function document(text: string): unknown {
  const { characters, values } = BOUNDS.kubeconfig;
  if (text.length > characters) throw new RefusedKubeconfig(`it is longer than ${characters} characters`);
  if (hasMoreSigns(text, values)) throw new RefusedKubeconfig(`it has more than ${values} lines and signs of YAML`);
  // A check for unique keys takes quadratic time, and warnings would quote the text on stderr.
  return parse(text, { maxAliasCount: 0, uniqueKeys: false, prettyErrors: false, logLevel: 'error' });
}

/** What the parser takes time for, up to 10 µs each; a kubeconfig has about 100, and certificates have none. */
const SIGNS: ReadonlySet<string> = new Set('\n[]{},:-?&*!#"\'');

function hasMoreSigns(text: string, most: number): boolean {
  let count = 0;
  for (const sign of text) if (SIGNS.has(sign) && ++count > most) return true;
  return false;
}

function checked<T>(schema: z.ZodType<T>, value: unknown, at: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = pathOf(at, issue?.path ?? []);
  // The library's own messages may quote values.
  const problem = issue !== undefined && OWN_MESSAGES.has(issue.message) ? issue.message : 'is malformed';
  throw new RefusedKubeconfig(`${field || 'it'} ${problem}`);
}

const OWN_MESSAGES = new Set([
  NOT_ALLOWED,
  'is missing',
  'is not base64',
  'is not PEM',
  'is not a text',
  'is not a token',
  'is not a name',
  'must begin with https://',
  'must contain no user, query or fragment',
  'is not a URL',
]);

const pathOf = (at: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>((told, part) => {
    if (typeof part === 'number') return `${told}[${part}]`;
    return told === '' ? String(part) : `${told}.${String(part)}`;
  }, at);

/** True for the URL of a listed proxy without its login. */
function isSameProxy(listed: string, named: string): boolean {
  const { protocol, host } = new URL(listed);
  return URL.canParse(named) && new URL(named).href === `${protocol}//${host}/`;
}

function serverProblem(server: string): string | undefined {
  if (!URL.canParse(server)) return 'is not a URL';
  const { protocol, username, password, search, hash } = new URL(server);
  if (protocol !== 'https:') return 'must begin with https://';
  return `${username}${password}${search}${hash}` === '' ? undefined : 'must contain no user, query or fragment';
}

const certificates = (text: string, field: string): X509Certificate =>
  attempt(`${field} is no certificate`, () => new X509Certificate(text));

function privateKey(text: string, field: string): void {
  const key = attempt(`${field} is no private key`, () => createPrivateKey(text));
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits > LARGEST_RSA_BITS) throw new RefusedKubeconfig(`${field} has more than ${LARGEST_RSA_BITS} bits`);
}

/** Errors of libraries may quote what they could not read. */
function attempt<T>(problem: string, work: () => T): T {
  try {
    return work();
  } catch {
    throw new RefusedKubeconfig(problem);
  }
}
