import { serve } from '@hono/node-server';
import { Hono } from 'hono';

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves /healthz (the process runs) and /readyz (it works; otherwise 503 with one line for each missing part). */
export function serveHealth(
  address: { readonly hostname: string; readonly port: number },
  missing: () => Promise<readonly string[]>,
): Promise<HealthServer> {
  const app = new Hono();
  app.get('/healthz', (context) => context.text('ok\n'));
  app.get('/readyz', async (context) => {
    const lacks = await missing();
    return lacks.length === 0 ? context.text('ok\n') : context.text(`${lacks.join('\n')}\n`, 503);
  });
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, ...address }, ({ port }) =>
      resolve({ port, close: () => new Promise((done) => server.close(() => done())) }),
    );
    server.on('error', reject);
  });
}
