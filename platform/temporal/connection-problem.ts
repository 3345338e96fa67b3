import { lookup } from 'node:dns/promises';
import { request } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf } from '../../domain/message-of.ts';
import type { TemporalAccess } from './access/access.ts';
import { type HostAndPort, joinAddress, splitAddress } from './access/address.ts';
import type { TlsCredentials } from './access/credentials.ts';
import type { TemporalProxy } from './access/proxy.ts';

/** How long a server may take to accept a connection. */
const DEADLINE_MS = 3_000;

/**
 * The error of a connection that failed, with the address and the reason. gRPC itself tells only that its deadline has
 * passed. A TypeError stays as it is: no other attempt makes a malformed address valid.
 */
export async function unreachable(access: TemporalAccess, error: unknown): Promise<unknown> {
  if (error instanceof TypeError) return error;
  const { address, proxy } = access;
  const where = proxy === undefined ? address : `${address} through the proxy ${joinAddress(proxy)}`;
  const reason = (await connectionProblem(access)) ?? reasonOf(error);
  return new Error(`connecting to Temporal at ${where}: ${reason}`, { cause: error });
}

/** The answer of the server, which the SDK wraps: it helps with wrong credentials. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${error.cause.message}`
    : messageOf(error);

/** Why no connection can be made; undefined: it can, so that Temporal itself must tell the reason. */
async function connectionProblem(access: TemporalAccess): Promise<string | undefined> {
  const { address, proxy, credentials } = access;
  const server = splitAddress(address);
  const { host } = proxy ?? server;
  try {
    await lookup(host);
  } catch (error) {
    return `the name ${host} does not resolve (${messageOf(error)})`;
  }
  try {
    const socket = await (proxy === undefined ? connected(server) : tunnelled(server, proxy));
    if (credentials.tls !== undefined) await accepted(server, credentials.tls, socket);
    socket.destroy();
    return undefined;
  } catch (error) {
    return messagesOf(error);
  }
}

function connected({ host, port }: HostAndPort): Promise<Socket> {
  const socket = connectTcp({ host, port });
  return answerOf(socket, (resolve) => socket.once('connect', () => resolve(socket)));
}

async function tunnelled(server: HostAndPort, proxy: TemporalProxy): Promise<Socket> {
  const socket = await connected(proxy);
  const path = joinAddress(server);
  const asked = request({
    method: 'CONNECT',
    path,
    headers: { host: path, ...headersFor(proxy) },
    createConnection: () => socket,
  });
  return answerOf(socket, (resolve, reject) => {
    asked.once('error', reject);
    asked.once('connect', ({ statusCode, statusMessage }) => {
      if (statusCode === 200) resolve(socket);
      else reject(new Error(`the proxy answers ${statusCode} ${statusMessage}`));
    });
    asked.end();
  });
}

const headersFor = ({ login }: TemporalProxy): Readonly<Record<string, string>> =>
  login === undefined
    ? {}
    : { 'proxy-authorization': `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}` };

/** An error is in the words of OpenSSL. */
function accepted({ host }: HostAndPort, tls: TlsCredentials, socket: Socket): Promise<void> {
  const secured = connectTls({
    socket,
    servername: tls.serverName ?? host,
    ALPNProtocols: ['h2'],
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...tls.client,
  });
  return answerOf(secured, (resolve) => {
    // A server refuses a client's certificate only after the handshake. A server that accepts it sends data.
    secured.once('data', () => resolve());
    secured.once('close', () => resolve());
  });
}

type Settle<T> = (resolve: (value: T) => void, reject: (error: Error) => void) => void;

/** Fails when the socket does, and when nothing comes within the deadline. */
function answerOf<T>(socket: Socket, settle: Settle<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(DEADLINE_MS, () => fail(new Error(`no answer within ${DEADLINE_MS / 1_000} s`)));
    socket.once('error', fail);
    settle((value) => {
      socket.setTimeout(0);
      resolve(value);
    }, fail);
  });
}

/** A name with several addresses has an error for each. */
const messagesOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : messageOf(error);
