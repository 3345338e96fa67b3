import { serve } from '@hono/node-server';
import { Hono } from 'hono';

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves /healthz (the process runs) and /readyz: it works, or 503 with one line for each missing part. Each warning is a
 * line more, and changes no answer.
 */
export function serveHealth(
  address: { readonly hostname: string; readonly port: number },
  missing: () => Promise<readonly string[]>,
  warnings: readonly string[] = [],
): Promise<HealthServer> {
  const app = new Hono();
  app.get('/healthz', (context) => context.text('ok\n'));
  app.get('/readyz', async (context) => {
    const lacks = await missing();
    const lines = [...(lacks.length === 0 ? ['ok'] : lacks), ...warnings.map((words) => `warning: ${words}`)];
    return context.text(`${lines.join('\n')}\n`, lacks.length === 0 ? 200 : 503);
  });
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, ...address }, ({ port }) =>
      resolve({ port, close: () => new Promise((done) => server.close(() => done())) }),
    );
    server.on('error', reject);
  });
}
