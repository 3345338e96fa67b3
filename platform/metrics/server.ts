import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { type BridgeConfig, homeNamespace } from '../config/config.ts';
import type { Log } from '../log.ts';
import { tlsOptions } from '../tls/options.ts';
import { type OnRead, servingCertificate } from '../tls/serving-certificate.ts';

export type AccessVerdict =
  | { readonly kind: 'allowed' }
  /** The API server does not know this token. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'forbidden'; readonly user: string };

/** Asks the API server whether the owner of a token may use a verb on a non-resource path. */
export type Gate = (token: string, verb: string, path: string) => Promise<AccessVerdict>;

export interface MetricsServer {
  /** null: not served. */
  readonly port: number | null;
  close(): Promise<void>;
}

export interface MetricsServerDeps {
  readonly config: Pick<
    BridgeConfig,
    | 'METRICS_ADDR'
    | 'METRICS_INSECURE'
    | 'METRICS_CERT_DIR'
    | 'TLS_MIN_VERSION'
    | 'TLS_MAX_VERSION'
    | 'TLS_CIPHER_SUITES'
    | 'TLS_CURVE_PREFERENCES'
    | 'POD_NAMESPACE'
    | 'WATCH_NAMESPACE'
  >;
  /** Not used when metrics are served without authentication. */
  readonly gate: Gate;
  readonly log: Log;
  /** All metrics in Prometheus' text format. */
  readonly read: () => Promise<string>;
  readonly onRead: OnRead;
}

/** The name of baremetal-operator's Service, for our self-signed certificate. */
const SERVICE = 'baremetal-operator-controller-manager-metrics-service';

/** Serves /metrics: over HTTPS to clients that the API server authorizes or, if configured, without authentication. */
export async function serveMetrics({ config, gate, log, read, onRead }: MetricsServerDeps): Promise<MetricsServer> {
  const { METRICS_ADDR: address, METRICS_INSECURE: isOpen } = config;
  if (address === null) return { port: null, close: async () => undefined };
  const answer = getRequestListener(metricsApp(read, isOpen ? undefined : gate, log).fetch);
  const listener = (asked: IncomingMessage, response: ServerResponse): void => void answer(asked, response);
  if (isOpen) return listening(createPlainServer(listener), address);

  const namespace = homeNamespace(config);
  const names = [`${SERVICE}.${namespace}.svc`, `${SERVICE}.${namespace}.svc.cluster.local`, 'localhost'];
  const certificate = await servingCertificate(config.METRICS_CERT_DIR, names, onRead);
  const options = tlsOptions(config);
  const server = createSecureServer({ ...options, cert: certificate.cert, key: certificate.key }, listener);
  const unfollow = certificate.follow((pair) => {
    server.setSecureContext({ ...options, ...pair });
    log.info({ dir: config.METRICS_CERT_DIR }, 'the certificate of /metrics was renewed');
  });
  const served = await listening(server, address);
  return {
    port: served.port,
    async close() {
      unfollow();
      await served.close();
    },
  };
}

function metricsApp(read: () => Promise<string>, gate: Gate | undefined, log: Log): Hono {
  const app = new Hono();
  app.get('/metrics', async (context) => {
    if (gate !== undefined) {
      const [, token] = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '') ?? [];
      if (token === undefined) return context.text('Unauthorized\n', 401);
      const verdict = await gate(token, context.req.method.toLowerCase(), '/metrics');
      if (verdict.kind === 'unknown') return context.text('Unauthorized\n', 401);
      if (verdict.kind === 'forbidden') return context.text(`Authorization denied for user ${verdict.user}\n`, 403);
    }
    return context.body(await read(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
  app.onError((error, context) => {
    log.warn({ err: error }, 'reading the metrics failed');
    return context.text('reading the metrics failed\n', 500);
  });
  return app;
}

type Listener = ReturnType<typeof createPlainServer> | ReturnType<typeof createSecureServer>;

function listening(server: Listener, address: { hostname: string; port: number }): Promise<MetricsServer> {
  return new Promise((resolve, reject) => {
    server.on('error', (cause) =>
      reject(
        new Error(`METRICS_ADDR: can't serve metrics at ${address.hostname}:${address.port}: ${cause.message}`, {
          cause,
        }),
      ),
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
