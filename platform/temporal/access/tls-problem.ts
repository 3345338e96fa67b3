import { connect } from 'node:tls';
import type { TemporalAccess } from './access.ts';

const DEADLINE_MS = 3_000;

/**
 * Why no TLS connection can be made, in the words of OpenSSL; undefined: it can, or the reason is another one. gRPC
 * itself tells only that its deadline has passed.
 */
export function tlsProblem({ address, credentials: { tls } }: TemporalAccess): Promise<string | undefined> {
  if (tls === undefined) return Promise.resolve(undefined);
  const { hostname, port } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      servername: tls.serverName ?? host,
      ALPNProtocols: ['h2'],
      ...(tls.ca !== undefined && { ca: tls.ca }),
      ...tls.client,
    });
    const end = (problem?: string): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(DEADLINE_MS, end);
    socket.on('error', (error: Error) => end(error.message));
    // A server refuses a client's certificate only after the handshake. A server that accepts it sends data.
    socket.on('data', () => end());
    socket.on('close', () => end());
  });
}
