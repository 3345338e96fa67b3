import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import type { Permit } from '../../permits/permit.ts';
import { PermitExpired } from '../../permits/withheld.ts';
import { answerJson, tooLarge } from './answer-json.ts';
import type { ConnectionPools, OpenConnection } from './connection.ts';
import type { ConnectionSource } from './connection-source.ts';
import { errorText, isIronicsOwn } from './error-text.ts';
import { IronicError, type IronicErrorType } from './errors.ts';
import { redacted } from './redact.ts';

/** A request that changes something goes out once, with a permit; whoever asked for it decides about another try. */
export type IronicRequest = RequestParts &
  (
    | { readonly method: 'GET'; readonly permit?: undefined }
    | { readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; readonly permit: Permit }
  );

interface RequestParts {
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
export const PAUSES = [300, 700, 1_500, 3_000];

/**
 * Sends requests. Only reads are repeated here: what a change depends on has to be read again. Nor does a change wait
 * until it is known whether Ironic has another address: the reads in its turn have found that out.
 */
export function createTransport(
  source: Pick<ConnectionSource, 'current' | 'last'>,
  pauses: readonly number[] = PAUSES,
  onAnswer: OnAnswer = () => undefined,
): Transport {
  return async (order) => {
    for (let attempt = 0; ; attempt++) {
      try {
        const connection = await (order.permit === undefined ? source.current() : source.last());
        return await send(connection, order, onAnswer);
      } catch (error) {
        const pause = pauses[attempt];
        if (pause === undefined || order.permit !== undefined || !isReadWorthAnotherTry(error)) throw error;
        await pauseFor(pause, order.signal);
      }
    }
  };
}

export async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => signal?.throwIfAborted());
}

async function send(
  { base, headers, pools, secrets }: OpenConnection,
  order: IronicRequest,
  onAnswer: OnAnswer,
): Promise<IronicResponse> {
  const {
    method,
    path,
    body,
    version,
    signal,
    doing,
    permit,
    pool = permit === undefined ? 'reads' : 'changes',
  } = order;
  let status: number;
  let text: string;
  try {
    const response = await request(`${base}${path}`, {
      dispatcher: permit === undefined ? pools[pool] : pools[pool].compose(usingUp(permit)),
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
    if (error instanceof PermitExpired) throw error;
    onAnswer(order, '<error>');
    throw tooLarge(error, { doing, pool }) ?? unreachable(error, base, doing);
  }
  if (status >= 200 && status < 300) return { status, body: answerJson(text, { doing, pool }) };
  const said = redacted(errorText(text, status), [...secrets, ...(order.secrets ?? [])]);
  const type = SAID_BY_ALL.includes(status) && !isIronicsOwn(text) ? 'IronicBroken' : errorType(status, said);
  throw new IronicError({ type, status, said, message: `can't ${doing}: Ironic answered ${status}: ${said}` });
}

/**
 * Uses the permit up when the connection is open and the request goes out on it, so that no wait stands between. A
 * permit that counts no more ends the request before anything is sent, and the connection stays open.
 */
const usingUp =
  (permit: Permit): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        permit.use();
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...told) => handler.onRequestUpgrade?.(...told),
      onResponseStart: (...told) => handler.onResponseStart?.(...told),
      onResponseData: (...told) => handler.onResponseData?.(...told),
      onResponseEnd: (...told) => handler.onResponseEnd?.(...told),
      onResponseError: (...told) => handler.onResponseError?.(...told),
    });

/**
 * What proxies and load balancers answer as well. From these it says nothing about the node, and not whether Ironic got
 * the request: some answer 503 when a connection ends that the request was sent on.
 */
const SAID_BY_ALL: readonly number[] = [404, 503];

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
  if (status === 403 && isProtected(said)) return 'IronicRefused';
  if (status === 401 || status === 403) return 'IronicUnauthorized';
  if (status === 503 || status === 429 || (status === 409 && isLocked(said))) return 'IronicBusy';
  return status >= 500 || status === 408 ? 'IronicBroken' : 'IronicRefused';
}

/** A person has protected the node: Ironic refuses to undeploy, rebuild or delete it, whoever asks. */
const isProtected = (said: string): boolean => /\bis protected\b/i.test(said);

/** Recognised by its text: Ironic also answers 409 for names and addresses that are in use. */
const isLocked = (said: string): boolean =>
  /\blocked by host\b|being (?:updated|provisioned)|power operation/i.test(said);

function isReadWorthAnotherTry(error: unknown): boolean {
  if (!(error instanceof IronicError)) return false;
  switch (error.type as IronicErrorType) {
    case 'IronicBusy':
    case 'IronicBroken':
      return true;
    case 'IronicUnreachable':
      return !TOO_SLOW.includes(codeOf(error.cause));
    case 'IronicUnauthorized':
    case 'IronicUnusable':
    case 'IronicUnreadable':
    case 'IronicRefused':
    case 'NodeGone':
    case 'NodeInFault':
      return false;
  }
}
