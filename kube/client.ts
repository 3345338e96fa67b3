import { type Dispatcher, request as send } from 'undici';
import { z } from 'zod';
import { BeyondBound } from '../domain/bounds/beyond-bound.ts';
import { BOUNDS, type Bound } from '../domain/bounds/bounds.ts';
import { boundedJson, type JsonBound } from '../domain/bounds/json.ts';
import type { ProxyConfig } from '../platform/config/proxy-settings.ts';
import { proxyFor } from '../platform/proxies.ts';
import { textWithin } from '../platform/text-within.ts';
import { type AccessSource, type AnswerLimits, type FixedAccess, fixedAccess, renewedAccess } from './access.ts';
import { KubeConfig } from './kubeconfig.ts';
import type { Turn } from './rate-limit.ts';

/** From undici's `request`, which needs half the CPU time of its `fetch`. */
type Body = Dispatcher.ResponseData['body'];

interface Answered {
  readonly body: Body;
  /** It says that it is within its bound. */
  readonly isSmall: boolean;
}

interface KubeCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Less than the usual bound of an answer of the own API server. */
  readonly bound?: Bound;
}

/**
 * A client of the API server in plain JSON: the library handles kubeconfig, credentials and TLS, we send the requests.
 */
export interface Kube {
  /** Returns the object in the response. */
  request(call: KubeCall): Promise<unknown>;
  /** Like `request` with GET; undefined when the object does not exist. */
  find(path: string, options?: Pick<KubeCall, 'timeoutMs' | 'signal'>): Promise<unknown>;
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
  readonly fields?: readonly string[];
}

/** The API server refused the request or, with status 0, was unreachable. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly status: number;
  readonly reason: string;
  /** The object named in the server's answer, '' when it names none. */
  readonly object: string;
  /** The server's own words, without the request: for conditions, which users of a namespace read. */
  readonly words: string;
  /** Paths of the fields whose values it refuses, for example `status.poweredOn`; empty when it names none. */
  readonly fields: readonly string[];

  constructor(doing: string, status: number, answer: KubeAnswer, cause?: unknown) {
    const { reason = '', message = '', object = '', fields = [] } = answer;
    super(`${doing}: ${status === 0 ? '' : `${status} `}${message}`, cause === undefined ? undefined : { cause });
    this.status = status;
    this.reason = reason;
    this.object = object;
    this.words = message === '' ? `the API server answers with status ${status}` : message;
    this.fields = fields;
  }
}

/**
 * True when the object does not exist: the API server names it. A server that does not know the kind (yet) also answers
 * 404, and so does a load balancer; that does not count.
 */
export const isNotFound = (error: unknown): boolean =>
  error instanceof KubeError && error.status === 404 && error.object !== '';
/** True when the object was changed since it was read, or has another uid. */
export const isConflict = (error: unknown): boolean =>
  error instanceof KubeError && error.status === 409 && error.reason !== 'AlreadyExists';
/** True when the object was changed or deleted since it was read. */
export const isOvertaken = (error: unknown): boolean => isConflict(error) || isNotFound(error);
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof KubeError && error.status === 409 && error.reason === 'AlreadyExists';

/**
 * True when RBAC forbids the request: an administrator may grant the right later. Only the text of the answer shows
 * this.
 */
export const lacksRight = (error: unknown): boolean =>
  error instanceof KubeError && error.status === 403 && / cannot \S+ resource "/.test(error.message);

const PASSING: readonly number[] = [401, 408, 409, 429];

/** True for an answer that a later request may not get: authentication, a conflict, an API server that is busy. */
export const mayPass = (error: unknown): boolean => error instanceof KubeError && PASSING.includes(error.status);

/** The reason of an error without a status: the answer is larger than allowed. */
export const TOO_LARGE = 'TooLarge';

const FIELD_MANAGER = 'temper';
const REQUEST_TIMEOUT_MS = 30_000;

/** Called for each response with its status, or `<error>` when there was none. */
export type Count = (answer: { readonly code: string; readonly method: string; readonly host: string }) => void;

export interface KubeOptions {
  /** Proxies of the environment; the `proxy-url` of a kubeconfig takes precedence. */
  readonly proxies?: ProxyConfig;
  /** With a rate limit, each request first waits for its turn. */
  readonly turn?: Turn | undefined;
  readonly count?: Count;
}

/**
 * Uses the given kubeconfig file, or else what the library finds: KUBECONFIG, the home folder, the pod's service
 * account.
 */
export function connectKube(kubeconfig?: string, options: KubeOptions = {}): Kube {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromDefault();
  else config.loadFromFile(kubeconfig);
  return kubeFrom(config, options);
}

/** Connects to the cluster of a kubeconfig text that is trusted; throws when it is invalid. */
export function connectKubeconfig(kubeconfig: string): Kube {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  return kubeFrom(config, {});
}

/** Connects to a server that is not trusted: its answers are limited in size and time, its errors are cut. */
export function connectFixed(fixed: FixedAccess, limits: AnswerLimits): Kube {
  const access = fixedAccess(fixed, limits);
  const shown: Shown = (answer) => shownOf(answer, limits.message);
  return createKube({ server: fixed.server, access, untrusted: { answer: limits.answer, shown } });
}

/** Cuts an answer to one line of printable characters that is no longer than the limit. */
function shownOf({ reason = '', message = '', object = '' }: KubeAnswer, longest: number): KubeAnswer {
  const cut = (text: string): string => {
    const line = text.slice(0, 4 * longest).replace(/[\p{C}\p{Z}]+/gu, ' ');
    return line.length <= longest ? line : `${line.slice(0, longest)} …`;
  };
  return { reason: cut(reason), message: cut(message), object: cut(object) };
}

interface KubeDeps {
  readonly server: string;
  readonly access: AccessSource;
  readonly turn?: Turn | undefined;
  readonly count?: Count | undefined;
  /** For a server that belongs to a tenant. */
  readonly untrusted?: Untrusted;
}

type Shown = (answer: KubeAnswer) => KubeAnswer;

interface Untrusted {
  readonly answer: JsonBound;
  /** The part of an error that is shown. */
  readonly shown: Shown;
}

function kubeFrom(config: KubeConfig, { proxies, turn, count }: KubeOptions): Kube {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error('The kubeconfig names no current cluster');
  const proxyUrl = proxies && proxyFor(server, proxies);
  // The library connects through the proxy of the cluster.
  if (proxyUrl !== undefined)
    config.clusters = config.clusters.map((cluster) => ({ ...cluster, proxyUrl: cluster.proxyUrl ?? proxyUrl }));
  return createKube({ server, access: renewedAccess(config, server), turn, count });
}

function createKube({
  server,
  access,
  turn = async () => undefined,
  count = () => undefined,
  untrusted,
}: KubeDeps): Kube {
  const boundOf = (call: KubeCall): Bound => untrusted?.answer ?? call.bound ?? BOUNDS.managementAnswer;
  /** Returns the body of a successful response. */
  const ask = async (call: KubeCall, signal: AbortSignal): Promise<Answered> => {
    const { headers, dispatcher } = await access.current();
    const method = call.method ?? 'GET';
    const doing = `${method} ${call.path}`;
    const url = new URL(server.replace(/\/$/, '') + call.path);
    for (const [key, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(key, String(value));
    }
    const {
      statusCode,
      headers: answered,
      body,
    } = await send(url, {
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
      throw unreachable(doing, error, boundOf(call), untrusted);
    });
    count({ code: String(statusCode), method, host: url.host });
    const isSmall = Number(answered['content-length']) <= boundOf(call).characters;
    if (statusCode >= 200 && statusCode < 300) return { body, isSmall };
    if (statusCode === 401) access.expire();
    throw refused(doing, statusCode, await textWithin(body, boundOf(call)).catch(() => ''), untrusted);
  };

  const request = async (call: KubeCall): Promise<unknown> => {
    await turn(call.signal);
    const deadline = AbortSignal.timeout(call.timeoutMs ?? REQUEST_TIMEOUT_MS);
    const signal = call.signal === undefined ? deadline : AbortSignal.any([deadline, call.signal]);
    const { body, isSmall } = await ask(call, signal);
    try {
      if (untrusted !== undefined) return boundedJson(await textWithin(body, untrusted.answer), untrusted.answer);
      return isSmall ? await body.json() : JSON.parse(await textWithin(body, boundOf(call)));
    } catch (error) {
      throw unreachable(`${call.method ?? 'GET'} ${call.path}`, error, boundOf(call), untrusted);
    }
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
      const { body } = await ask(call, call.signal ?? new AbortController().signal);
      yield* splitLines(body, `GET ${call.path}`);
    },
    close: access.close,
  };
}

/** An incomplete last line is dropped: a reader that continues from the last complete line gets it again. */
async function* splitLines(body: AsyncIterable<Uint8Array>, doing: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      if (rest.length > BOUNDS.watchEvent.characters) throw new BeyondBound(BOUNDS.watchEvent, 'characters');
      for (const line of parts) if (line !== '') yield line;
    }
  } catch (error) {
    throw unreachable(doing, error, BOUNDS.watchEvent);
  }
}

const statusSchema = z.object({
  kind: z.string().catch(''),
  reason: z.string().catch(''),
  message: z.string().catch(''),
  details: z
    .object({ name: z.string().catch(''), causes: z.array(z.object({ field: z.string().catch('') })).catch([]) })
    .catch({ name: '', causes: [] }),
});

function refused(doing: string, status: number, body: string, untrusted?: Untrusted): KubeError {
  const shown = untrusted?.shown ?? ((answer: KubeAnswer) => answer);
  try {
    const json: unknown = untrusted === undefined ? JSON.parse(body) : boundedJson(body, untrusted.answer);
    const { kind, reason, message, details } = statusSchema.parse(json);
    const object = kind === 'Status' ? details.name : '';
    const fields = details.causes.map(({ field }) => field).filter((field) => field !== '');
    return new KubeError(doing, status, shown({ reason, message, object, fields }));
  } catch {
    // The answer comes from a proxy in front of the API server.
    return new KubeError(doing, status, shown({ message: body.slice(0, 200) }));
  }
}

/** The cause of an error whose text is cut is left out: it has the whole text. */
function unreachable(doing: string, error: unknown, bound: Bound, untrusted?: Untrusted): KubeError {
  if (error instanceof KubeError) return error;
  const beyond = beyondOf(error, bound);
  if (beyond !== undefined) return new KubeError(doing, 0, { reason: TOO_LARGE, message: beyond.message });
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const answer = { reason: 'Unreachable', message };
  return untrusted === undefined
    ? new KubeError(doing, 0, answer, error)
    : new KubeError(doing, 0, untrusted.shown(answer));
}

/** The client of HTTP ends an answer of an untrusted server at the same bound. */
function beyondOf(error: unknown, bound: Bound): BeyondBound | undefined {
  if (error instanceof BeyondBound) return error;
  const isTooLarge = error instanceof Error && 'code' in error && error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
  return isTooLarge ? new BeyondBound(bound, 'characters') : undefined;
}
