import { createServer, type Server } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics/registry.ts';
import type { KeyPair } from '../../platform/tls/certificates.ts';
import type { AdmittedKind, DefaultedKind } from './admitted.ts';
import { answerConversion, CONVERT_PATH } from './convert.ts';
import { countReviews } from './count-reviews.ts';
import { answerDefaults, answerReview } from './review.ts';

/** A review contains an object twice, and the API server accepts objects of up to 3 MB. */
const MOST_BYTES = 16 * 1024 * 1024;
/** A list in a deprecated version is converted at once. */
const MOST_BYTES_TO_CONVERT = 256 * 1024 * 1024;

export interface WebhookServerOptions {
  readonly address: { readonly hostname: string; readonly port: number };
  readonly tls: SecureContextOptions;
  readonly kinds: readonly AdmittedKind[];
  readonly defaulted: readonly DefaultedKind[];
  readonly log: Log;
  readonly record: Metrics['record'];
}

export interface WebhookServer {
  readonly port: number;
  /** Serves another certificate from now on; open connections stay. Throws when it is invalid. */
  use(pair: KeyPair): void;
  close(): Promise<void>;
}

/** Listens at once; clients fail to connect until there is a certificate. */
export function serveReviews(options: WebhookServerOptions): Promise<WebhookServer> {
  const { address, tls } = options;
  const { promise, resolve, reject } = Promise.withResolvers<WebhookServer>();
  const listener = getRequestListener(reviews(options).fetch);
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

const limited = (maxSize: number): MiddlewareHandler =>
  bodyLimit({ maxSize, onError: (context) => context.text('the request is too large\n', 413) });
const bodyOf = ({ req }: Context): Promise<unknown> => req.json().catch(() => undefined);

function reviews({ kinds, defaulted, log, record }: WebhookServerOptions): Hono {
  const app = new Hono();
  const counted = countReviews([...[...kinds, ...defaulted].map(({ path }) => path), CONVERT_PATH], record);
  app.use(counted.review);
  for (const kind of kinds) {
    app.post(kind.path, limited(MOST_BYTES), async (context) => {
      const { answer, object, allowed } = answerReview(kind, await bodyOf(context));
      if (!allowed) log.info({ kind: kind.kind, object }, 'refused');
      return context.json(answer as object);
    });
  }
  for (const kind of defaulted) {
    app.post(kind.path, limited(MOST_BYTES), async (context) =>
      context.json(answerDefaults(kind, await bodyOf(context)).answer as object),
    );
  }
  app.post(CONVERT_PATH, limited(MOST_BYTES_TO_CONVERT), async (context) => {
    const { answer, problem } = answerConversion(await bodyOf(context));
    if (problem !== undefined) log.warn({ problem }, 'objects could not be converted');
    return context.json(answer);
  });
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
