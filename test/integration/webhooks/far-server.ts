import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Delay of everything that the server sends. */
const DELAY_MS = 100;

export interface FarServer {
  readonly port: number;
  /** Requests of which the client could not know that the server had closed the connection. */
  readonly crossed: number;
  close(): Promise<void>;
}

/**
 * A network between a client and a server on loopback on which a close always crosses the client's next request: the
 * client learns of it only by the reset that answers this request. On a real network this happens by chance.
 */
export async function farServer(port: number): Promise<FarServer> {
  const open = new Set<Socket>();
  let crossed = 0;
  const server = createServer((client) => {
    const behind = connect(port, '127.0.0.1');
    let hasClosed = false;
    for (const socket of [client, behind]) {
      open.add(socket.setNoDelay(true));
      socket.once('close', () => open.delete(socket)).on('error', () => undefined);
    }
    behind.once('end', () => (hasClosed = true)).once('close', () => (hasClosed = true));
    behind.on('data', (chunk) => {
      setTimeout(() => {
        if (!hasClosed) client.write(chunk);
      }, DELAY_MS);
    });
    client.on('data', (chunk) => {
      if (!hasClosed) return void behind.write(chunk);
      crossed += 1;
      client.resetAndDestroy();
    });
    client.once('close', () => behind.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get crossed() {
      return crossed;
    },
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
