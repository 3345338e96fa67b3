import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { type BridgeConfig, homeNamespace } from '../config/config.ts';
import type { Log } from '../log.ts';
import { tlsOptions } from '../tls/options.ts';
import { type OnRead, servingCertificate } from '../tls/serving-certificate.ts';

export type Verdict =
  | { readonly kind: 'allowed' }
  /** The API server does not know who this is. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'forbidden'; readonly user: string };

/** Asks the API server whether whoever bears this token may do this to a path that is no resource. */
export type Gate = (token: string, verb: string, path: string) => Promise<Verdict>;

export interface MetricsServer {
  /** null: none is served. */
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
  /** Not asked where metrics are served in the open. */
  readonly gate: Gate;
  readonly log: Log;
  /** All there is to tell, in Prometheus' text format. */
  readonly read: () => Promise<string>;
  readonly onRead: OnRead;
}

/** As baremetal-operator's Service is called: a certificate of our own is made out for it. */
const SERVICE = 'baremetal-operator-controller-manager-metrics-service';

/** Serves /metrics: by HTTPS to whoever the API server says may get it or, where configured so, in the open. */
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
    log.warn({ err: error }, 'metrics could not be told');
    return context.text('metrics could not be told\n', 500);
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
