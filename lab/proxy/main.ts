import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { pino } from 'pino';
import { createProxy } from './server.ts';
import { proxySettingsSchema } from './settings.ts';

const log = pino({ name: 'ironic-proxy' });
const [, , file] = process.argv;
if (file === undefined) throw new Error('usage: node lab/proxy/main.ts <settings.json>');
const { port, upstream, logFile, tls } = proxySettingsSchema.parse(JSON.parse(await readFile(file, 'utf8')));

const lines = createWriteStream(logFile, { flags: 'a' });
const handle = createProxy(new URL(upstream), (request) => void lines.write(`${JSON.stringify(request)}\n`));
const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  handle(incoming, outgoing).catch((error: unknown) => {
    log.error({ err: error, path: incoming.url }, 'handling a request failed');
    outgoing.destroy();
  });
};
const server = tls
  ? createTlsServer({ cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) }, listener)
  : createServer(listener);
// Only clients close idle connections: a request never meets a connection that is being closed here.
server.keepAliveTimeout = 0;
server.listen(port, '127.0.0.1', () => log.info({ port, upstream }, 'serving'));

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
