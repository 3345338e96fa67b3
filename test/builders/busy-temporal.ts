import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

export interface BusyTemporal {
  readonly address: string;
  /** Resolves when a request was refused. */
  readonly asked: Promise<unknown>;
  close(): void;
}

/** A Temporal that answers the first request of every connection and is too busy for all others. */
export async function aBusyTemporal(): Promise<BusyTemporal> {
  const server = createServer();
  let tell: (value?: unknown) => void = () => undefined;
  const asked = new Promise((resolve) => {
    tell = resolve;
  });
  server.on('stream', (stream, headers) => {
    const isFirst = String(headers[':path']).endsWith('/GetSystemInfo');
    stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => {
      // UNAVAILABLE: the client retries.
      stream.sendTrailers({ 'grpc-status': isFirst ? '0' : '14' });
      if (!isFirst) tell();
    });
    stream.end(isFirst ? Buffer.alloc(5) : undefined);
    stream.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, asked, close: () => void server.close() };
}
