import { lookup } from 'node:dns/promises';
import { request } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { status } from '@grpc/grpc-js';
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { messageOf } from '../../domain/message-of.ts';
import type { TemporalAccess } from './access/access.ts';
import { type HostAndPort, joinAddress, splitAddress } from './access/address.ts';
import type { TlsCredentials } from './access/credentials.ts';
import type { TemporalProxy } from './access/proxy.ts';

/** How long a server may take to accept a connection. */
const DEADLINE_MS = 3_000;

/** Temporal does not answer. */
export class TemporalUnreachable extends Error {
  /** The address, and the proxy on the way if there is one. */
  readonly where: string;
  readonly why: string;

  constructor(where: string, why: string, cause: unknown) {
    super(`connecting to Temporal at ${where}: ${why}`, { cause });
    this.where = where;
    this.why = why;
  }
}

/**
 * The error of a connection that failed, with the address and the reason. gRPC itself tells only that its deadline has
 * passed. A TypeError stays as it is: no other attempt makes a malformed address valid.
 */
export async function unreachable(access: TemporalAccess, error: unknown): Promise<unknown> {
  if (error instanceof TypeError) return error;
  const { address, proxy } = access;
  const where = proxy === undefined ? address : `${address} through the proxy ${joinAddress(proxy)}`;
  return new TemporalUnreachable(where, (await connectionProblem(access)) ?? reasonOf(error), error);
}

/** `Temporal at <address> does not answer: <why>`. */
export async function outageInWords(access: TemporalAccess, error: unknown): Promise<string> {
  const outage = await unreachable(access, error);
  return outage instanceof TemporalUnreachable
    ? `Temporal at ${outage.where} does not answer: ${outage.why}`
    : messageOf(outage);
}

/**
 * True when the connection is lost, or Temporal says that a part of it is. A request that is late is not meant: a query
 * is late when no worker answers it.
 */
export const isUnavailable = (error: unknown): boolean => codeOf(error) === status.UNAVAILABLE;

function codeOf(error: unknown): number | undefined {
  const { cause } = error instanceof ServiceError ? error : { cause: error };
  return isGrpcServiceError(cause) ? cause.code : undefined;
}

/** The answer of the server, which the SDK wraps: it helps with wrong credentials. */
function reasonOf(error: unknown): string {
  if (codeOf(error) === status.DEADLINE_EXCEEDED || messageOf(error) === NOT_READY)
    return 'it accepts connections, and answers nothing';
  return error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${error.cause.message}`
    : messageOf(error);
}

/** The words of gRPC for a connection on which no server has said anything in time. */
const NOT_READY = 'Failed to connect before the deadline';

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

const NOT_FOUND = 5;

/** True when Temporal answered that it does not know what was asked for. */
export const isUnknownToTemporal = (error: unknown): boolean =>
  isGrpcServiceError(error) && Number(error.code) === NOT_FOUND;
