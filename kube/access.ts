import type { Dispatcher } from 'undici';
import type { JsonBound } from '../domain/bounds/json.ts';
import { connectionsVia } from '../platform/proxies.ts';
import { HttpMethod, type KubeConfig, RequestContext } from './kubeconfig.ts';

/** Tokens and certificates can change at any time; old ones are used for this long at most. */
const CREDENTIALS_TTL_MS = 60_000;

/** Longer than a request may take. */
const RETIRED_MS = 30_000;

interface Access {
  readonly headers: Record<string, string>;
  readonly dispatcher: Dispatcher | undefined;
}

/** An API server with credentials that are all inline and do not change. */
export interface FixedAccess {
  /** With `https://`. */
  readonly server: string;
  /** PEM; without `ca` the authorities of the system are trusted. */
  readonly tls: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly servername?: string;
  };
  readonly token?: string;
  /** URL of the proxy through which it is reached. */
  readonly proxy?: string | undefined;
}

/** Limits for the answers of a server that is not trusted. */
export interface AnswerLimits {
  readonly answer: JsonBound;
  /** For a connection, for the headers, and for each pause in the body. */
  readonly pauseMs: number;
  /** Characters of an error that are shown. */
  readonly message: number;
}

export interface AccessSource {
  readonly current: () => Promise<Access>;
  /** The server refused the credentials: they are read again. */
  readonly expire: () => void;
  readonly close: () => Promise<void>;
}

/** Each call of the library creates a connection pool, so its result is kept for a while. */
export function renewedAccess(config: KubeConfig, server: string): AccessSource {
  let access: Promise<Access> | undefined;
  let expires = 0;

  const authenticate = async (): Promise<Access> => {
    const context = new RequestContext(server, HttpMethod.GET);
    await config.applySecurityAuthentication(context);
    return { headers: context.getHeaders(), dispatcher: context.getDispatcher() };
  };
  return {
    current() {
      if (access !== undefined && Date.now() < expires) return access;
      void access?.then(
        ({ dispatcher }) => dispatcher && retire(dispatcher),
        () => undefined,
      );
      expires = Date.now() + CREDENTIALS_TTL_MS;
      access = authenticate();
      access.catch(() => (expires = 0));
      return access;
    },
    expire: () => void (expires = 0),
    async close() {
      expires = 0;
      const last = await access?.catch(() => undefined);
      access = undefined;
      await last?.dispatcher?.destroy();
    },
  };
}

/** Credentials that do not change, for a server that is not trusted. */
export function fixedAccess({ tls, token, proxy }: FixedAccess, limits: AnswerLimits): AccessSource {
  const dispatcher = connectionsVia(proxy, {
    // The limit of the size and the timeouts are those of HTTP/1.1.
    allowH2: false,
    connections: 4,
    maxResponseSize: limits.answer.characters,
    headersTimeout: limits.pauseMs,
    bodyTimeout: limits.pauseMs,
    connect: { ...tls, timeout: limits.pauseMs, rejectUnauthorized: true },
  });
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const access = Promise.resolve({ headers, dispatcher });
  return { current: () => access, expire: () => undefined, close: () => dispatcher.destroy() };
}

/** Running requests may end, and requests that are about to start may still use these connections. */
function retire(dispatcher: Dispatcher): void {
  const close = (): void => void dispatcher.close().catch(() => undefined);
  setTimeout(close, RETIRED_MS).unref();
}
