import { type Dispatcher, request as send } from 'undici';
import { z } from 'zod';
import { HttpMethod, KubeConfig, RequestContext } from './kubeconfig.ts';
import type { Turn } from './rate-limit.ts';

/** From undici's `request`, which needs half the CPU time of its `fetch`. */
type Body = Dispatcher.ResponseData['body'];

interface KubeCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * A client of the API server in plain JSON: the library handles kubeconfig, credentials and TLS, we send the requests.
 */
export interface Kube {
  /** Returns the object in the response. */
  request(call: KubeCall): Promise<unknown>;
  /** Like `request` with GET; undefined when the object does not exist. */
  find(path: string, options?: Pick<KubeCall, 'timeoutMs'>): Promise<unknown>;
  /** Sends a JSON merge patch with our field manager. */
  patch(path: string, body: unknown): Promise<unknown>;
  /** The lines of a streamed response; ends when the server ends it, throws when the connection breaks. */
  lines(call: KubeCall): AsyncGenerator<string, void, undefined>;
  close(): Promise<void>;
}

export interface KubeAnswer {
  readonly reason?: string;
  readonly message?: string;
  readonly object?: string;
}

/** The API server refused the request or, with status 0, was unreachable. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly status: number;
  readonly reason: string;
  /** The object named in the server's answer, '' when it names none. */
  readonly object: string;

  constructor(doing: string, status: number, answer: KubeAnswer, cause?: unknown) {
    const { reason = '', message = '', object = '' } = answer;
    super(`${doing}: ${status === 0 ? '' : `${status} `}${message}`, cause === undefined ? undefined : { cause });
    this.status = status;
    this.reason = reason;
    this.object = object;
  }
}

/**
 * True when the object does not exist. A server that does not know the kind (yet) also answers 404; that does not
 * count.
 */
export const isNotFound = (error: unknown): boolean =>
  error instanceof KubeError && error.status === 404 && error.object !== '';
/** True when the object was changed since it was read, or has another uid. */
export const isConflict = (error: unknown): boolean =>
  error instanceof KubeError && error.status === 409 && error.reason !== 'AlreadyExists';
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof KubeError && error.status === 409 && error.reason === 'AlreadyExists';

const FIELD_MANAGER = 'temper';
const REQUEST_TIMEOUT_MS = 30_000;
/** Tokens and certificates can change at any time; old ones are used for this long at most. */
const CREDENTIALS_TTL_MS = 60_000;

interface Access {
  readonly headers: Record<string, string>;
  readonly dispatcher: Dispatcher | undefined;
}

/** Called for each response with its status, or `<error>` when there was none. */
export type Count = (answer: { readonly code: string; readonly method: string; readonly host: string }) => void;

/**
 * Uses the given kubeconfig file, or else what the library finds: KUBECONFIG, the home folder, the pod's service
 * account. With a rate limit, each request first waits for its turn.
 */
export function connectKube(
  kubeconfig?: string,
  turn: Turn = async () => undefined,
  count: Count = () => undefined,
): Kube {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromDefault();
  else config.loadFromFile(kubeconfig);
  return kubeFrom(config, turn, count);
}

/** Connects to the cluster of a kubeconfig text; throws when it is invalid. */
export function connectKubeconfig(kubeconfig: string): Kube {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  return kubeFrom(
    config,
    async () => undefined,
    () => undefined,
  );
}

function kubeFrom(config: KubeConfig, turn: Turn, count: Count): Kube {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error('The kubeconfig names no current cluster');
  let access: Promise<Access> | undefined;
  let expires = 0;

  // Each call of the library creates a connection pool, so its result is kept for a while.
  const authenticate = async (): Promise<Access> => {
    const context = new RequestContext(server, HttpMethod.GET);
    await config.applySecurityAuthentication(context);
    return { headers: context.getHeaders(), dispatcher: context.getDispatcher() };
  };
  const currentAccess = (): Promise<Access> => {
    if (access !== undefined && Date.now() < expires) return access;
    void access?.then(
      ({ dispatcher }) => dispatcher && retire(dispatcher),
      () => undefined,
    );
    expires = Date.now() + CREDENTIALS_TTL_MS;
    access = authenticate();
    access.catch(() => (expires = 0));
    return access;
  };

  /** Returns the body of a successful response. */
  const ask = async (call: KubeCall, signal: AbortSignal): Promise<Body> => {
    const { headers, dispatcher } = await currentAccess();
    const method = call.method ?? 'GET';
    const doing = `${method} ${call.path}`;
    const url = new URL(server.replace(/\/$/, '') + call.path);
    for (const [key, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(key, String(value));
    }
    const { statusCode, body } = await send(url, {
      method,
      signal,
      headers: {
        ...headers,
        'user-agent': FIELD_MANAGER,
        accept: call.accept ?? 'application/json',
        ...(call.body !== undefined && { 'content-type': call.contentType ?? 'application/json' }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      ...(dispatcher !== undefined && { dispatcher }),
    }).catch((error: unknown) => {
      count({ code: '<error>', method, host: url.host });
      throw unreachable(doing, error);
    });
    count({ code: String(statusCode), method, host: url.host });
    if (statusCode >= 200 && statusCode < 300) return body;
    if (statusCode === 401) expires = 0;
    throw refused(doing, statusCode, await body.text().catch(() => ''));
  };

  const request = async (call: KubeCall): Promise<unknown> => {
    await turn();
    const deadline = AbortSignal.timeout(call.timeoutMs ?? REQUEST_TIMEOUT_MS);
    const signal = call.signal === undefined ? deadline : AbortSignal.any([deadline, call.signal]);
    const body = await ask(call, signal);
    return body.json().catch((error: unknown) => {
      throw unreachable(`${call.method ?? 'GET'} ${call.path}`, error);
    });
  };

  return {
    request,
    async find(path, options) {
      try {
        return await request({ path, ...options });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    patch: (path, body) =>
      request({
        method: 'PATCH',
        path,
        query: { fieldManager: FIELD_MANAGER },
        contentType: 'application/merge-patch+json',
        body,
      }),
    async *lines(call) {
      const body = await ask(call, call.signal ?? new AbortController().signal);
      yield* splitLines(body, `GET ${call.path}`);
    },
    async close() {
      expires = 0;
      const last = await access?.catch(() => undefined);
      access = undefined;
      await last?.dispatcher?.destroy();
    },
  };
}

/** Running requests may end, and requests that are about to start may still use these connections. */
function retire(dispatcher: Dispatcher): void {
  const close = (): void => void dispatcher.close().catch(() => undefined);
  setTimeout(close, REQUEST_TIMEOUT_MS).unref();
}

/** An incomplete last line is dropped: a reader that continues from the last complete line gets it again. */
async function* splitLines(body: AsyncIterable<Uint8Array>, doing: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) if (line !== '') yield line;
    }
  } catch (error) {
    throw unreachable(doing, error);
  }
}

const statusSchema = z.object({
  reason: z.string().catch(''),
  message: z.string().catch(''),
  details: z.object({ name: z.string() }).catch({ name: '' }),
});

function refused(doing: string, status: number, body: string): KubeError {
  try {
    const { reason, message, details } = statusSchema.parse(JSON.parse(body));
    return new KubeError(doing, status, { reason, message, object: details.name });
  } catch {
    // The answer comes from a proxy in front of the API server.
    return new KubeError(doing, status, { message: body.slice(0, 200) });
  }
}

function unreachable(doing: string, error: unknown): KubeError {
  if (error instanceof KubeError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new KubeError(doing, 0, { reason: 'Unreachable', message }, error);
}
