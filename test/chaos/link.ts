import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** TCP connections of bridge and workers to one server. */
export interface Link {
  readonly port: number;
  /** Ends all connections and refuses new ones. */
  cut(): void;
  /** Nothing passes, and nothing is refused. */
  stall(): void;
  mend(): void;
  close(): Promise<void>;
}

type State = 'whole' | 'cut' | 'stalled';

/** `portOf` is asked for each connection: the server may not have a port yet. */
export async function openLink(portOf: () => number | undefined): Promise<Link> {
  let state: State = 'whole';
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (state === 'stalled') socket.pause();
  };
  const server = createServer((client) => {
    const port = portOf();
    if (state === 'cut' || port === undefined) return void client.destroy();
    const upstream = connect({ host: '127.0.0.1', port });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.once('close', () => other.destroy());
      socket.pipe(other);
      keep(socket);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      endAll();
    },
    stall() {
      state = 'stalled';
      for (const socket of sockets) socket.pause();
    },
    mend() {
      state = 'whole';
      for (const socket of sockets) socket.resume();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      endAll();
      await closed;
    },
  };
}
