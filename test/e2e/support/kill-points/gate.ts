import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Agent, type Dispatcher, request } from 'undici';

/** Our processes that write. */
export type Sender = 'bridge' | 'workers';

/** A request that changes something. */
export interface Write {
  readonly sender: Sender;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Parsed; undefined when it is no JSON. */
  readonly body: unknown;
}

/** What happens to writes on their way. */
export interface Passage {
  /** False: the server never sees the request, and its sender gets no answer. */
  before(write: Write): Promise<boolean>;
  /** Called when the server has answered. False: the sender gets no answer. */
  after(write: Write, status: number): Promise<boolean>;
}

export interface Upstream {
  readonly origin: string;
  /** PEM. */
  readonly tls?: { readonly ca: string };
}

export interface Gate {
  readonly url: string;
  close(): Promise<void>;
}

/** An HTTP server in front of another one, which asks for each write whether it passes; reads pass at once. */
export async function openGate(sender: Sender, { origin, tls }: Upstream, passage: Passage): Promise<Gate> {
  const dispatcher = new Agent({ bodyTimeout: 0, ...(tls && { connect: tls }) });
  const server = createServer((incoming, outgoing) => {
    const served =
      incoming.method === 'GET'
        ? passRead(dispatcher, origin, incoming, outgoing)
        : passWrite(dispatcher, origin, sender, passage, incoming, outgoing);
    // Behaves as when the server behind it ends.
    served.catch(() => incoming.socket.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => closeAll(server, dispatcher),
  };
}

async function closeAll(server: Server, dispatcher: Dispatcher): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
  await dispatcher.destroy();
}

const HOP_BY_HOP = ['connection', 'host', 'keep-alive', 'transfer-encoding', 'content-length', 'expect'];

const forwardable = (headers: IncomingMessage['headers']): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.includes(name) ? [] : [[name, value]],
    ),
  );

const send = (
  dispatcher: Dispatcher,
  origin: string,
  incoming: IncomingMessage,
  more: { readonly body?: Buffer; readonly signal?: AbortSignal },
): Promise<Dispatcher.ResponseData> =>
  request(origin + (incoming.url ?? '/'), {
    method: (incoming.method ?? 'GET') as Dispatcher.HttpMethod,
    headers: forwardable(incoming.headers),
    dispatcher,
    ...more,
  });

async function passRead(
  dispatcher: Dispatcher,
  origin: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const leaving = new AbortController();
  outgoing.once('close', () => leaving.abort());
  const answer = await send(dispatcher, origin, incoming, { signal: leaving.signal });
  outgoing.writeHead(answer.statusCode, forwardable(answer.headers)).flushHeaders();
  await pipeline(answer.body, outgoing);
}

async function passWrite(
  dispatcher: Dispatcher,
  origin: string,
  sender: Sender,
  passage: Passage,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = '', url = '/' } = incoming;
  const body = await buffer(incoming);
  const write = { sender, method, path: url.split('?')[0] ?? url, body: parsed(body) };
  if (!(await passage.before(write))) return void incoming.socket.destroy();
  const answer = await send(dispatcher, origin, incoming, body.length === 0 ? {} : { body });
  const content = await buffer(answer.body);
  if (!(await passage.after(write, answer.statusCode))) return void incoming.socket.destroy();
  outgoing.writeHead(answer.statusCode, forwardable(answer.headers)).end(content);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
