import { Hono } from 'hono';
import { bearerToken } from '../bearer-token.ts';
import { type BridgeConfig, homeNamespace } from '../config/config.ts';
import type { Log } from '../log.ts';
import { type ServeAppOptions, serveApp } from '../serve-app.ts';
import type { OnRead } from '../tls/serving-certificate.ts';

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
  readonly config: ServeAppOptions['config'] &
    Pick<BridgeConfig, 'METRICS_ADDR' | 'METRICS_INSECURE' | 'METRICS_CERT_DIR' | 'POD_NAMESPACE' | 'WATCH_NAMESPACE'>;
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
  const namespace = homeNamespace(config);
  const names = [`${SERVICE}.${namespace}.svc`, `${SERVICE}.${namespace}.svc.cluster.local`, 'localhost'];
  return serveApp({
    app: metricsApp(read, isOpen ? undefined : gate, log),
    what: '/metrics',
    address,
    setting: 'METRICS_ADDR',
    certificate: isOpen ? undefined : { dir: config.METRICS_CERT_DIR, names },
    config,
    log,
    onRead,
  });
}

function metricsApp(read: () => Promise<string>, gate: Gate | undefined, log: Log): Hono {
  const app = new Hono();
  app.get('/metrics', async (context) => {
    if (gate !== undefined) {
      const token = bearerToken(context.req.header('authorization'));
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
