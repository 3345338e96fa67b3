import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { ConnectionPools, OpenConnection } from './connection.ts';
import { errorText } from './error-text.ts';
import { IronicError, type IronicErrorType } from './errors.ts';
import { redacted } from './redact.ts';

export interface IronicRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the endpoint with a leading slash, including the query. */
  readonly path: string;
  readonly body?: unknown;
  readonly version?: string;
  readonly signal?: AbortSignal | undefined;
  /** What the request does: `deploy node 1be2…`. Every error message begins with it. */
  readonly doing: string;
  /** The connections that it uses; without it, those for reads or for changes, as its method is. */
  readonly pool?: keyof ConnectionPools;
  /** Texts in the request that must not appear in an error. */
  readonly secrets?: readonly string[];
  /** False: the caller handles a locked node. */
  readonly retryLocked?: boolean;
}

export interface IronicResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Called with each answer of Ironic; `status` is `<error>` when there was none. */
export type OnAnswer = (order: Pick<IronicRequest, 'method' | 'path'>, status: string) => void;

export type Transport = (order: IronicRequest) => Promise<IronicResponse>;

/**
 * Pauses before retries, in milliseconds; with random variation, so that clients that met the same lock do not return
 * together.
 */
const PAUSES = [300, 700, 1_500, 3_000];

/** Sends requests. Retries only when Ironic certainly ignored the first one, or for reads. */
export function createTransport(
  connection: () => Promise<OpenConnection>,
  pauses: readonly number[] = PAUSES,
  onAnswer: OnAnswer = () => undefined,
): Transport {
  return async (order) => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await send(await connection(), order, onAnswer);
      } catch (error) {
        const pause = pauses[attempt];
        if (pause === undefined || !isWorthAnotherTry(error, order)) throw error;
        await pauseFor(pause * (0.75 + Math.random() / 2), order.signal);
      }
    }
  };
}

async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
}

async function send(
  { base, headers, pools, secrets }: OpenConnection,
  order: IronicRequest,
  onAnswer: OnAnswer,
): Promise<IronicResponse> {
  const { method, path, body, version, signal, doing, pool = method === 'GET' ? 'reads' : 'changes' } = order;
  let status: number;
  let text: string;
  try {
    const response = await request(`${base}${path}`, {
      dispatcher: pools[pool],
      method,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(version !== undefined && { 'x-openstack-ironic-api-version': version }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    status = response.statusCode;
    text = await response.body.text();
    onAnswer(order, String(status));
  } catch (error) {
    // The caller cancelled the request: its reason is thrown.
    signal?.throwIfAborted();
    onAnswer(order, '<error>');
    throw unreachable(error, base, doing);
  }
  if (status >= 200 && status < 300) return { status, body: parsed(text, doing) };
  const said = redacted(errorText(text, status), [...secrets, ...(order.secrets ?? [])]);
  const type = errorType(status, said);
  throw new IronicError({ type, status, said, message: `can't ${doing}: Ironic answered ${status}: ${said}` });
}

function parsed(text: string, doing: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    const message = `can't ${doing}: Ironic's answer is not JSON`;
    throw new IronicError({ type: 'IronicUnreadable', message });
  }
}

/** Errors of the connection itself: nothing was sent. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

/** True for an error of the connection itself, which any other request would meet too. */
export const isNotSent = (error: unknown): boolean =>
  error instanceof IronicError && NOT_SENT.includes(codeOf(error.cause));

/** Timeouts: not retried here, because the caller decides how long to wait. */
const TOO_SLOW = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

function unreachable(error: unknown, base: string, doing: string): IronicError {
  const reason = error instanceof Error ? error.message || codeOf(error) : String(error);
  const message = `can't ${doing}: no answer from Ironic at ${base}: ${reason}`;
  return new IronicError({ type: 'IronicUnreachable', message, cause: error });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
}

function errorType(status: number, said: string): IronicErrorType {
  if (status === 401 || status === 403) return 'IronicUnauthorized';
  if (status === 503 || status === 429 || (status === 409 && isLocked(said))) return 'IronicBusy';
  return status >= 500 || status === 408 ? 'IronicBroken' : 'IronicRefused';
}

/** Recognised by its text: Ironic also answers 409 for names and addresses that are in use. */
const isLocked = (said: string): boolean =>
  /\blocked by host\b|being (?:updated|provisioned)|power operation/i.test(said);

function isWorthAnotherTry(error: unknown, { method, retryLocked }: IronicRequest): boolean {
  if (!(error instanceof IronicError)) return false;
  switch (error.type as IronicErrorType) {
    case 'IronicBusy':
      return error.status !== 409 || retryLocked !== false;
    case 'IronicUnreachable':
      return isNotSent(error) || (method === 'GET' && !TOO_SLOW.includes(codeOf(error.cause)));
    case 'IronicBroken':
      return method === 'GET';
    case 'IronicUnauthorized':
    case 'IronicUnusable':
    case 'IronicUnreadable':
    case 'IronicRefused':
    case 'NodeInFault':
      return false;
  }
}
