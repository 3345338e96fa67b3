import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Address } from './config/config-values.ts';
import type { Log } from './log.ts';
import type { KeyPair } from './tls/certificates.ts';
import { tlsOptions } from './tls/options.ts';
import { type OnRead, servingCertificate } from './tls/serving-certificate.ts';

export interface ServedApp {
  readonly port: number;
  close(): Promise<void>;
}

export interface ServeAppOptions {
  readonly app: Hono;
  /** In words: `/metrics`. */
  readonly what: string;
  readonly address: Address;
  /** The variable with the address, for messages. */
  readonly setting: string;
  /** undefined: plain HTTP. */
  readonly certificate:
    | undefined
    | KeyPair
    | {
        /** With tls.crt and tls.key; when missing, a certificate for the names is created. */
        readonly dir: string;
        readonly names: readonly string[];
      };
  readonly config: Parameters<typeof tlsOptions>[0];
  readonly log: Log;
  /** Called for each read of the folder. */
  readonly onRead?: OnRead;
}

/** Serves an app over HTTPS, with a certificate that is read again when it changes, or over plain HTTP. */
export async function serveApp(options: ServeAppOptions): Promise<ServedApp> {
  const { app, what, certificate: source, config, log, onRead = () => undefined } = options;
  const answer = getRequestListener(app.fetch);
  const listener = (asked: IncomingMessage, response: ServerResponse): void => void answer(asked, response);
  if (source === undefined) return listening(createPlainServer(listener), options);
  const tls = tlsOptions(config);
  if ('cert' in source) return listening(createSecureServer({ ...tls, ...source }, listener), options);
  const certificate = await servingCertificate(source.dir, source.names, onRead);
  const server = createSecureServer({ ...tls, cert: certificate.cert, key: certificate.key }, listener);
  const unfollow = certificate.follow((pair) => {
    server.setSecureContext({ ...tls, ...pair });
    log.info({ dir: source.dir }, `the certificate of ${what} was renewed`);
  });
  const served = await listening(server, options);
  return {
    port: served.port,
    async close() {
      unfollow();
      await served.close();
    },
  };
}

type Listener = ReturnType<typeof createPlainServer> | ReturnType<typeof createSecureServer>;

function listening(server: Listener, { address, setting, what }: ServeAppOptions): Promise<ServedApp> {
  return new Promise((resolve, reject) => {
    server.on('error', (cause) =>
      reject(new Error(`${setting}: can't serve ${what} on port ${address.port}: ${cause.message}`, { cause })),
    );
    server.listen(address.port, address.hostname, () => {
      const { port } = server.address() as AddressInfo;
      const close = (): Promise<void> =>
        new Promise((done) => {
          server.close(() => done());
          server.closeAllConnections();
        });
      resolve({ port, close });
    });
  });
}
