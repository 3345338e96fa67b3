import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ConnectProxy {
  /** `host:port`. */
  readonly address: string;
  /** Servers to which tunnels were opened, in order. */
  readonly tunnels: readonly string[];
  /** Requests that were forwarded without a tunnel, in order. */
  readonly forwarded: readonly string[];
  close(): Promise<void>;
}

/**
 * An HTTP proxy that knows these servers alone, under names that nobody else resolves: real addresses by `name:port`.
 * `login`: `user:password` that it asks for.
 */
export async function openConnectProxy(
  servers: Readonly<Record<string, string>>,
  login?: string,
): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const forwarded: string[] = [];
  const sockets = new Set<Socket>();
  const expected = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  const real = (name: string): { readonly host: string; readonly port: number } | undefined => {
    const [host, port] = servers[name]?.split(':') ?? [];
    return host === undefined ? undefined : { host, port: Number(port) };
  };
  const isKnown = ({ headers }: IncomingMessage): boolean =>
    expected === undefined || headers['proxy-authorization'] === expected;

  const server = createServer((asked: IncomingMessage, response: ServerResponse) => {
    const { origin, host, pathname, search } = new URL(asked.url ?? '');
    const to = real(host);
    if (!isKnown(asked)) return void response.writeHead(407).end();
    if (to === undefined) return void response.writeHead(502).end();
    forwarded.push(`${asked.method} ${origin}${pathname}`);
    const { method = 'GET', headers } = asked;
    const forward = request({ ...to, path: `${pathname}${search}`, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forward.on('error', () => response.destroy());
    asked.pipe(forward);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (asked: IncomingMessage, socket: Socket, head: Buffer) => {
    const to = real(asked.url ?? '');
    socket.on('error', () => undefined);
    if (!isKnown(asked)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    if (to === undefined) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    tunnels.push(asked.url ?? '');
    const tunnel = connect(to);
    sockets.add(tunnel);
    tunnel.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      tunnel.write(head);
      socket.pipe(tunnel).pipe(socket);
    });
    tunnel.on('error', () => socket.destroy());
    tunnel.on('close', () => {
      sockets.delete(tunnel);
      socket.destroy();
    });
    socket.on('close', () => tunnel.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    forwarded,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
