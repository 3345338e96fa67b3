import type { MiddlewareHandler } from 'hono';
import type { Metrics } from '../../platform/metrics/registry.ts';

interface CountedReviews {
  readonly review: MiddlewareHandler;
  /** A review failed by a mistake in the program. */
  mistake(): void;
}

/** Counts and times reviews in the words of controller-runtime, where a webhook is called by its path. */
export function countReviews(paths: readonly string[], record: Metrics['record']): CountedReviews {
  const inFlight = new Map(paths.map((path) => [path, 0]));
  const showInFlight = (webhook: string, change: number): void => {
    const value = (inFlight.get(webhook) ?? 0) + change;
    inFlight.set(webhook, value);
    record({ name: 'controller_runtime_webhook_requests_in_flight', labels: { webhook }, value });
  };
  // Shown from the start, so that the first one to happen is seen to be a rise.
  for (const webhook of paths) {
    showInFlight(webhook, 0);
    for (const code of ['200', '500']) {
      record({ name: 'controller_runtime_webhook_requests_total', labels: { webhook, code }, value: 0 });
    }
  }
  record({ name: 'controller_runtime_webhook_panics_total', labels: {}, value: 0 });

  return {
    async review(context, next) {
      const webhook = context.req.path;
      // Whoever asks for anything else is not to make up names of metrics.
      if (!inFlight.has(webhook)) return next();
      const since = performance.now();
      showInFlight(webhook, 1);
      await next();
      showInFlight(webhook, -1);
      const code = String(context.res.status);
      record({ name: 'controller_runtime_webhook_requests_total', labels: { webhook, code } });
      const value = (performance.now() - since) / 1_000;
      record({ name: 'controller_runtime_webhook_latency_seconds', labels: { webhook }, value });
    },
    mistake: () => record({ name: 'controller_runtime_webhook_panics_total', labels: {} }),
  };
}
