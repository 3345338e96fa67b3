import { z } from 'zod';
import { BeyondBound } from '../../../domain/bounds/beyond-bound.ts';
import { BOUNDS } from '../../../domain/bounds/bounds.ts';
import { boundedJson } from '../../../domain/bounds/json.ts';
import { type Secret, textOf } from '../../../kube/objects/secret.ts';
import type { RegistryLogin } from '../../host-data.ts';

const TYPES = ['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg'] as const;

const entry = z.object({
  username: z.string().optional(),
  password: z.string().optional(),
  /** Base64 of `user:password`. */
  auth: z.string().optional(),
  identitytoken: z.string().optional(),
});
const entries = z.record(z.string(), entry.nullish());
const dockerConfig = z.object({ auths: entries.nullish() });
type Entry = z.infer<typeof entry>;

/** The credentials for an image's registry, from a Secret as created by `kubectl create secret docker-registry`. */
export function registryLogin(secret: Secret, imageUrl: string): RegistryLogin {
  const name = String(secret.metadata.name);
  if (!TYPES.some((known) => known === secret.type)) {
    const what = `unsupported type "${secret.type}"`;
    return {
      kind: 'invalid',
      message: `secret "${name}" has ${what} (expected ${TYPES.join(' or ')})`,
      warning: { reason: 'ImageAuthFormatUnsupported', message: `Secret "${name}" has ${what}` },
    };
  }
  const found = loginIn(secret, registryOf(imageUrl));
  if ('login' in found) return { kind: 'ok', login: found.login };
  return {
    kind: 'invalid',
    message: `failed to extract credentials from secret "${name}": ${found.problem}`,
    warning: {
      reason: 'ImageAuthParseError',
      message: `Failed to extract credentials from secret "${name}": ${found.problem}`,
    },
  };
}

type Found = { readonly login: string } | { readonly problem: string };

function loginIn(secret: Secret, registry: string): Found {
  const read = readEntries(secret);
  if (typeof read === 'string') return { problem: read };
  if (registry === '') return { problem: 'the image URL names no registry' };
  const key = DOCKER_HUB.includes(registry) ? DOCKER_HUB_KEY : registry;
  const known = Object.hasOwn(read, key) ? read[key] : undefined;
  if (known == null) return { problem: `registry ${registry} not found in auth config` };
  const login = loginOf(known);
  if (login === undefined) {
    return { problem: `failed to get credentials for registry ${registry}: 'auth' is not base64 of user:password` };
  }
  return login === ':' ? { problem: `registry ${registry} not found in auth config` } : { login };
}

/** Docker stores the credentials of its own registry under an old name. */
const DOCKER_HUB = ['docker.io', 'index.docker.io', 'registry-1.docker.io'];
const DOCKER_HUB_KEY = 'https://index.docker.io/v1/';

/** Host and port of `oci://host:port/repository:tag`. */
const registryOf = (imageUrl: string): string => /^oci:\/\/(?:[^/@]*@)?([^/?#]*)/i.exec(imageUrl)?.[1] ?? '';

/** Returns the entries, or a message why there are none; it never quotes the content. */
function readEntries(secret: Secret): z.infer<typeof entries> | string {
  const config = textOf(secret, '.dockerconfigjson');
  if (config !== undefined) {
    const read = json(config);
    if (read instanceof BeyondBound) return read.message;
    const parsed = dockerConfig.safeParse(read);
    return parsed.success ? (parsed.data.auths ?? {}) : 'failed to parse dockerconfigjson';
  }
  const old = textOf(secret, '.dockercfg');
  if (old === undefined) return 'secret does not contain .dockerconfigjson or .dockercfg key';
  const read = json(old);
  if (read instanceof BeyondBound) return read.message;
  const parsed = entries.safeParse(read);
  return parsed.success ? parsed.data : 'failed to parse dockercfg';
}

function json(text: string): unknown {
  try {
    return boundedJson(text, BOUNDS.registryLogin);
  } catch (error) {
    return error instanceof BeyondBound ? error : undefined;
  }
}

/** Docker's rules: a token takes precedence over credentials, and plain text over encoded. undefined: unreadable. */
function loginOf({ username, password, auth, identitytoken }: Entry): string | undefined {
  if (identitytoken) return `:${identitytoken}`;
  if (username && password) return `${username}:${password}`;
  if (!auth) return ':';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(auth)) return undefined;
  const decoded = Buffer.from(auth, 'base64').toString('utf8');
  return decoded.includes(':') ? decoded : undefined;
}
