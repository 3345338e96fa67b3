import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { selfSigned } from '../../../platform/tls/certificates.ts';

/** Takes connections with a certificate that nobody trusts, and passes them on to a port of this computer. */
export async function tlsProxy(to: number): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer(await selfSigned(['127.0.0.1']), (client) => {
    const upstream = connect(to, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  });
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
