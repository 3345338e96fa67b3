import { createServer, type Server } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { KeyPair } from '../../platform/certificates.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics/registry.ts';
import { countReviews } from './count-reviews.ts';
import { type AdmittedKind, webhookPath } from './kinds.ts';
import { answerReview } from './review.ts';

/** A review holds an object twice, and the API server takes objects of up to 3 MB. */
const MOST_BYTES = 16 * 1024 * 1024;

export interface WebhookServerOptions {
  readonly address: { readonly hostname: string; readonly port: number };
  readonly tls: SecureContextOptions;
  readonly kinds: readonly AdmittedKind[];
  readonly log: Log;
  readonly record: Metrics['record'];
}

export interface WebhookServer {
  readonly port: number;
  /** Serves with another certificate from now on; connections that are open stay. Throws on one that can't be used. */
  use(pair: KeyPair): void;
  close(): Promise<void>;
}

/** Listens at once; whoever calls before there is a certificate fails to connect. */
export function serveReviews({ address, tls, kinds, log, record }: WebhookServerOptions): Promise<WebhookServer> {
  const { promise, resolve, reject } = Promise.withResolvers<WebhookServer>();
  const listener = getRequestListener(reviews(kinds, log, record).fetch);
  const server = createServer(tls, (incoming, outgoing) => void listener(incoming, outgoing));
  server.on('error', reject);
  server.listen(address.port, address.hostname, () => {
    const at = server.address();
    resolve({
      port: typeof at === 'object' && at !== null ? at.port : address.port,
      use(pair) {
        const options = { ...tls, ...pair };
        createSecureContext(options);
        server.setSecureContext(options);
      },
      close: () => close(server),
    });
  });
  return promise;
}

function reviews(kinds: readonly AdmittedKind[], log: Log, record: Metrics['record']): Hono {
  const app = new Hono();
  const counted = countReviews(
    kinds.map(({ kind }) => webhookPath(kind)),
    record,
  );
  app.use(counted.review);
  app.use(bodyLimit({ maxSize: MOST_BYTES, onError: (context) => context.text('the request is too large\n', 413) }));
  for (const kind of kinds) {
    app.post(webhookPath(kind.kind), async (context) => {
      const body: unknown = await context.req.json().catch(() => undefined);
      const { answer, object, allowed } = answerReview(kind, body);
      if (!allowed) log.info({ kind: kind.kind, object }, 'refused');
      return context.json(answer as object);
    });
  }
  app.onError((error, context) => {
    counted.mistake();
    log.error({ err: error, path: context.req.path }, 'a review failed');
    return context.text('the review failed\n', 500);
  });
  return app;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
