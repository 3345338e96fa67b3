import type { Metrics } from '../../../platform/metrics/registry.ts';

export interface CountedReviews {
  /** Called when a review begins. The returned function is called with the status of its answer. */
  begin(webhook: string): (status: number) => void;
  /** Called when a review failed because of a programming error. */
  mistake(): void;
}

/** Counts and times reviews with controller-runtime's metric names; a webhook is named by its path. */
export function countReviews(paths: readonly string[], record: Metrics['record']): CountedReviews {
  const inFlight = new Map(paths.map((path) => [path, 0]));
  const showInFlight = (webhook: string, change: number): void => {
    const value = (inFlight.get(webhook) ?? 0) + change;
    inFlight.set(webhook, value);
    record({ name: 'controller_runtime_webhook_requests_in_flight', labels: { webhook }, value });
  };
  // The series exist from the start, so that the first increment is visible.
  for (const webhook of paths) {
    showInFlight(webhook, 0);
    for (const code of ['200', '500']) {
      record({ name: 'controller_runtime_webhook_requests_total', labels: { webhook, code }, value: 0 });
    }
  }
  record({ name: 'controller_runtime_webhook_panics_total', labels: {}, value: 0 });

  return {
    begin(webhook) {
      const since = performance.now();
      showInFlight(webhook, 1);
      return (status) => {
        showInFlight(webhook, -1);
        record({ name: 'controller_runtime_webhook_requests_total', labels: { webhook, code: String(status) } });
        const value = (performance.now() - since) / 1_000;
        record({ name: 'controller_runtime_webhook_latency_seconds', labels: { webhook }, value });
      };
    },
    mistake: () => record({ name: 'controller_runtime_webhook_panics_total', labels: {} }),
  };
}
