import { lookup } from 'node:dns/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf } from '../../domain/message-of.ts';
import type { TemporalAccess } from './access/access.ts';
import type { TlsCredentials } from './access/credentials.ts';

/** The port that the SDK takes when the address has none. */
const DEFAULT_PORT = 7233;

/** How long a server may take to accept a connection. */
const DEADLINE_MS = 3_000;

/**
 * The error of a connection that failed, with the address and the reason. gRPC itself tells only that its deadline has
 * passed. A TypeError stays as it is: no other attempt makes a malformed address valid.
 */
export async function unreachable(access: TemporalAccess, error: unknown): Promise<unknown> {
  if (error instanceof TypeError) return error;
  const reason = (await connectionProblem(access)) ?? reasonOf(error);
  return new Error(`connecting to Temporal at ${access.address}: ${reason}`, { cause: error });
}

/** The answer of the server, which the SDK wraps: it helps with wrong credentials. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${error.cause.message}`
    : messageOf(error);

/** Why no connection can be made; undefined: it can, so that Temporal itself must tell the reason. */
async function connectionProblem({ address, credentials: { tls } }: TemporalAccess): Promise<string | undefined> {
  const { hostname, port: given } = new URL(`temporal://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const port = Number(given || DEFAULT_PORT);
  try {
    await lookup(host);
  } catch (error) {
    return `the name ${host} does not resolve (${messageOf(error)})`;
  }
  return tls === undefined ? tcpProblem(host, port) : tlsProblem(host, port, tls);
}

function tcpProblem(host: string, port: number): Promise<string | undefined> {
  const socket = connectTcp({ host, port });
  return problemOf(socket, ['connect']);
}

/** In the words of OpenSSL. */
function tlsProblem(host: string, port: number, tls: TlsCredentials): Promise<string | undefined> {
  const socket = connectTls({
    host,
    port,
    servername: tls.serverName ?? host,
    ALPNProtocols: ['h2'],
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...tls.client,
  });
  // A server refuses a client's certificate only after the handshake. A server that accepts it sends data.
  return problemOf(socket, ['data', 'close']);
}

/** undefined after one of the events. */
function problemOf(socket: Socket, good: readonly ('connect' | 'data' | 'close')[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (problem?: string): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(DEADLINE_MS, () => end(`no answer within ${DEADLINE_MS / 1_000} s`));
    socket.on('error', (error) => end(messagesOf(error)));
    for (const event of good) socket.on(event, () => end());
  });
}

/** A name with several addresses has an error for each. */
const messagesOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : error.message;
