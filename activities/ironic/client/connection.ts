import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { defined } from '../../../domain/defined.ts';
import { withoutEnd } from '../../../domain/without-end.ts';
import type { ProxyConfig } from '../../../platform/config/proxy-settings.ts';
import { connectionsVia, proxyFor } from '../../../platform/proxies.ts';
import type { KeyPair } from '../../../platform/tls/certificates.ts';
import { belongTogether } from '../../../platform/tls/serving-certificate.ts';
import { answerBound } from './answer-json.ts';

/** The address of Ironic, and the places of its credentials. Missing files count as not given. */
export interface IronicConnection {
  /** For example `http://127.0.0.1:6385/v1/`. */
  readonly endpoint: string;
  /** Folder with `ironic/username` and `ironic/password`; when it does not exist there is no authentication. */
  readonly authRootDir?: string;
  /** Takes precedence over the folder. */
  readonly login?: { readonly username: string; readonly password: string };
  readonly caFile?: string;
  /** PEM; takes precedence over the file. */
  readonly ca?: string;
  readonly clientCertificateFile?: string;
  readonly clientKeyFile?: string;
  readonly insecure?: boolean;
  /** Proxies of the environment. */
  readonly proxies?: ProxyConfig;
  /** Timeout of a request in milliseconds. */
  readonly timeoutMs?: number;
  /** How many requests that change something are sent at the same time. */
  readonly concurrentChanges?: number;
  /** Pauses (ms) before each repetition of a read, or of the work in a place for changes. */
  readonly pausesMs?: readonly number[];
}

/** The content of the settings and their files at one time. */
export interface ConnectionDetails {
  readonly endpoint: string;
  readonly login?: { readonly username: string; readonly password: string };
  readonly ca?: string;
  readonly clientCertificate?: KeyPair;
  readonly insecure?: boolean;
  /** URL of the proxy through which it is reached. */
  readonly proxy?: string;
  readonly timeoutMs?: number;
  readonly concurrentChanges?: number;
}

export interface OpenConnection {
  /** Without a trailing slash. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The credentials, which must not appear in any text. */
  readonly secrets: readonly string[];
  readonly pools: ConnectionPools;
  close(): Promise<void>;
}

/**
 * Separate connections for each kind of request, kept open: all waiting activities depend on lists, so a list never
 * queues behind requests about single nodes, and a read never behind changes.
 */
export interface ConnectionPools {
  readonly lists: Dispatcher;
  readonly reads: Dispatcher;
  readonly changes: Dispatcher;
}

/**
 * Ironic's listen queue is short. With its default database, SQLite, only one change is written at a time, and one that
 * meets another waits for up to a second before it is tried again: more than three at once take longer together
 * (docs/bench.md).
 */
const CONNECTIONS = { lists: 1, reads: 4 } as const;
export const CONCURRENT_CHANGES = 3;
const TIMEOUT = 30_000;

/** Reads the files. Throws when they can't be used. */
export async function detailsOf(connection: IronicConnection): Promise<ConnectionDetails> {
  const { endpoint, authRootDir, insecure, timeoutMs, concurrentChanges, clientCertificateFile } = connection;
  const login = connection.login ?? (authRootDir === undefined ? undefined : await readLogin(authRootDir));
  const [caFile, cert, key] = await Promise.all([
    optionalFile(connection.caFile),
    optionalFile(clientCertificateFile),
    optionalFile(connection.clientKeyFile),
  ]);
  const ca = connection.ca ?? caFile;
  const clientCertificate = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  if (clientCertificate !== undefined && !belongTogether(clientCertificate))
    throw new Error(`${clientCertificateFile}, the client certificate for Ironic, does not belong to its key`);
  const proxy = connection.proxies && proxyFor(endpoint, connection.proxies);
  return {
    endpoint,
    ...defined({ proxy, login, ca, clientCertificate, insecure, timeoutMs, concurrentChanges }),
  };
}

export function openConnection(details: ConnectionDetails): OpenConnection {
  const { ca, clientCertificate, proxy, insecure = false, timeoutMs: timeout = TIMEOUT } = details;
  const { concurrentChanges: changes = CONCURRENT_CHANGES } = details;
  const login = details.login && encoded(details.login);
  const agent = (connections: number, pool: keyof ConnectionPools): Dispatcher =>
    connectionsVia(proxy, {
      connections,
      maxResponseSize: answerBound(pool).characters,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      connect: {
        timeout,
        ...(ca !== undefined && { ca }),
        ...clientCertificate,
        rejectUnauthorized: !insecure,
      },
    });
  const pools = {
    lists: agent(CONNECTIONS.lists, 'lists'),
    reads: agent(CONNECTIONS.reads, 'reads'),
    changes: agent(changes, 'changes'),
  };
  return {
    base: withoutEnd(details.endpoint, '/'),
    headers: login === undefined ? {} : { authorization: `Basic ${login.encoded}` },
    secrets: login === undefined ? [] : [login.password, login.encoded],
    pools,
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}

type Login = NonNullable<ConnectionDetails['login']>;

const encoded = ({ username, password }: Login) => ({
  password,
  encoded: Buffer.from(`${username}:${password}`).toString('base64'),
});

async function readLogin(root: string): Promise<Login | undefined> {
  const dir = join(root, 'ironic');
  const [username, password] = await Promise.all(['username', 'password'].map((name) => optionalFile(join(dir, name))));
  if (username === undefined && password === undefined) return undefined;
  const [user, secret] = [username?.trim() ?? '', password?.trim() ?? ''];
  if (user === '' || secret === '') {
    throw new Error(`reading Ironic's credentials: ${dir} must hold a username and a password, both not empty`);
  }
  return { username: user, password: secret };
}

async function optionalFile(path: string | undefined): Promise<string | undefined> {
  if (path === undefined || path === '') return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw new Error(`reading ${path} for the connection to Ironic`, { cause: error });
  }
}
