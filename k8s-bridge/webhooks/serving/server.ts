import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { finished } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { promisify } from 'node:util';
import type { Metrics } from '../../../platform/metrics/registry.ts';
import type { KeyPair } from '../../../platform/tls/certificates.ts';
import { CONVERT_PATH, LIMITS, type Limits } from './limits.ts';
import { type Body, createReadBody, type ReadBody, Unanswered } from './read-body.ts';
import type { Reply } from './reviews.ts';

/** What the server writes to the log. */
export interface WebhookLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface WebhookServerOptions {
  readonly address: { readonly hostname: string; readonly port: number };
  readonly tls: SecureContextOptions;
  readonly paths: readonly string[];
  /** Answers one review; rejects when that fails, takes too long, or was aborted before it began. */
  readonly answer: (path: string, body: Pick<Body, 'bytes' | 'size'>, signal: AbortSignal) => Promise<Reply> | Reply;
  readonly limits?: Limits;
  readonly log: WebhookLog;
  readonly record: Metrics['record'];
}

export interface WebhookServer {
  readonly port: number;
  /** Serves another certificate from now on; open connections stay. Throws when it is invalid. */
  use(pair: KeyPair): void;
  /** Still answers for a while: a client whose connection ends with an answer loses no request. */
  close(): Promise<void>;
}

/** Time that a client gets to read why its body was refused, while the rest of the body is thrown away. */
const LINGER_MS = 1_000;
const LINGER_BYTES = 32 * 1024 * 1024;
/** Time for answers that have begun when the server is closed. */
const CLOSE_MS = 5_000;
const LOOK_AGAIN_MS = 20;

/** Listens at once; clients fail to connect until there is a certificate. */
export function serveReviews(options: WebhookServerOptions): Promise<WebhookServer> {
  const { address, tls, paths, limits = LIMITS, record } = options;
  const { idleMs, connections, drainMs } = limits;
  const { promise, resolve, reject } = Promise.withResolvers<WebhookServer>();
  const serving = { ...options, limits, counted: countReviews(paths, record), readBody: createReadBody(limits) };
  const unanswered = new Set<ServerResponse>();
  let isEnding = false;
  // Node applies the limits for head and request to a connection without any request, too. The API server keeps such
  // connections: when two requests need one, Go opens two, and one of them may wait for its first request.
  const timeouts = { keepAliveTimeout: idleMs, headersTimeout: idleMs, requestTimeout: idleMs };
  const server = createServer({ ...tls, ...timeouts }, (request, response) => {
    unanswered.add(response);
    response.once('close', () => unanswered.delete(response));
    if (isEnding) endConnectionAfter(response);
    void serve(serving, request, response);
  });
  server.maxConnections = connections;
  server.on('error', reject);
  server.listen(address.port, address.hostname, () => {
    const at = server.address();
    resolve({
      port: typeof at === 'object' && at !== null ? at.port : address.port,
      use(pair) {
        const secure = { ...tls, ...pair };
        createSecureContext(secure);
        server.setSecureContext(secure);
      },
      async close() {
        isEnding = true;
        unanswered.forEach(endConnectionAfter);
        await drain(server, unanswered, drainMs);
        await close(server);
      },
    });
  });
  return promise;
}

interface Serving extends WebhookServerOptions {
  readonly limits: Limits;
  readonly counted: CountedReviews;
  readonly readBody: ReadBody;
}

async function serve(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { paths, counted, log } = serving;
  // The API server adds its timeout as a query.
  const [path = ''] = (request.url ?? '').split('?');
  if (request.method !== 'POST' || !paths.includes(path)) return refuse(request, response, 404, 'not found');
  const done = counted.begin(path);
  try {
    const reply = await replyTo(serving, path, request, response);
    if (reply.refused !== undefined) log.info(reply.refused, 'refused');
    if (reply.problem !== undefined) log.warn({ problem: reply.problem }, 'objects could not be converted');
    response.writeHead(200, { 'content-type': 'application/json' }).end(reply.body);
  } catch (error) {
    // Such refusals are counted but not logged: a flood would fill the log.
    if (error instanceof Unanswered) refuse(request, response, error.status, error.message);
    else {
      counted.mistake();
      log.error({ err: error, path }, 'a review failed');
      refuse(request, response, 500, 'the review failed');
    }
  } finally {
    done(response.statusCode);
  }
}

async function replyTo(
  { answer, readBody, limits }: Serving,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Reply> {
  const { bytesToConvert, bytesToValidate, answerMs } = limits;
  const late = AbortSignal.timeout(answerMs);
  const body = await readBody(request, path === CONVERT_PATH ? bytesToConvert : bytesToValidate, late);
  const onLate = (): void => void (response.headersSent && response.destroy());
  late.addEventListener('abort', onLate, { once: true });
  const closed = new Promise<void>((resolve) => finished(response, () => resolve()));
  try {
    const reply = await answer(path, body, late);
    late.throwIfAborted();
    return reply;
  } catch (error) {
    if (late.aborted && !(error instanceof Unanswered)) throw new Unanswered(503, 'the answer took too long');
    throw error;
  } finally {
    // The answer is about as large as the body, and uses memory until the client has read it.
    void closed.then(() => {
      late.removeEventListener('abort', onLate);
      body.release();
    });
  }
}

/** Refuses a request, and closes the connection if its body is not read to the end. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  const { socket } = request;
  const isRead = request.complete || !hasBody(request);
  response.writeHead(status, { 'content-type': 'text/plain', ...(!isRead && { connection: 'close' }) });
  response.end(`${message}\n`);
  if (isRead) return;
  const end = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  let dropped = 0;
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > LINGER_BYTES) socket.destroy();
  });
  request.on('error', () => undefined);
  socket.once('close', () => clearTimeout(end));
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function endConnectionAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

/** Ends when no client is connected; after its time, when all answers have been sent. */
async function drain(server: Server, unanswered: ReadonlySet<ServerResponse>, drainMs: number): Promise<void> {
  const connections = promisify(server.getConnections.bind(server));
  await until(async () => (await connections()) === 0, drainMs);
  // Node's `close` destroys connections whose answer has been written, but not been sent to its end.
  await until(() => unanswered.size === 0, CLOSE_MS);
}

async function until(isSo: () => boolean | Promise<boolean>, timeMs: number): Promise<void> {
  const end = Date.now() + timeMs;
  while (!(await isSo()) && Date.now() < end) await sleep(LOOK_AGAIN_MS);
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

interface CountedReviews {
  /** Called when a review begins. The returned function is called with the status of its answer. */
  begin(webhook: string): (status: number) => void;
  /** Called when a review failed because of a programming error. */
  mistake(): void;
}

/** Counts and times reviews with controller-runtime's metric names; a webhook is named by its path. */
function countReviews(paths: readonly string[], record: Metrics['record']): CountedReviews {
  const inFlight = new Map(paths.map((path) => [path, 0]));
  const showInFlight = (webhook: string, change: number): void => {
    const value = (inFlight.get(webhook) ?? 0) + change;
    inFlight.set(webhook, value);
    record({ name: 'controller_runtime_webhook_requests_in_flight', labels: { webhook }, value });
  };
  // The series exist from the start, so that the first increment is visible.
  for (const webhook of paths) {
    showInFlight(webhook, 0);
    for (const code of ['200', '500']) {
      record({ name: 'controller_runtime_webhook_requests_total', labels: { webhook, code }, value: 0 });
    }
  }
  record({ name: 'controller_runtime_webhook_panics_total', labels: {}, value: 0 });

  return {
    begin(webhook) {
      const since = performance.now();
      showInFlight(webhook, 1);
      return (status) => {
        showInFlight(webhook, -1);
        record({ name: 'controller_runtime_webhook_requests_total', labels: { webhook, code: String(status) } });
        const value = (performance.now() - since) / 1_000;
        record({ name: 'controller_runtime_webhook_latency_seconds', labels: { webhook }, value });
      };
    },
    mistake: () => record({ name: 'controller_runtime_webhook_panics_total', labels: {} }),
  };
}
