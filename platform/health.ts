import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/** What /readyz answers, in words. */
export interface Health {
  /** Empty when the process works. */
  readonly missing: readonly string[];
  /** What people should know; it changes no answer. */
  readonly warnings: readonly string[];
}

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
  health: () => Promise<Health>,
): Promise<HealthServer> {
  const app = new Hono();
  app.get('/healthz', (context) => context.text('ok\n'));
  app.get('/readyz', async (context) => {
    const { missing, warnings } = await health();
    const lines = [...(missing.length === 0 ? ['ok'] : missing), ...warnings.map((words) => `warning: ${words}`)];
    return context.text(`${lines.join('\n')}\n`, missing.length === 0 ? 200 : 503);
  });
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, ...address }, ({ port }) =>
      resolve({ port, close: () => new Promise((done) => server.close(() => done())) }),
    );
    server.on('error', reject);
  });
}
