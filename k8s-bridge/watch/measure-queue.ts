import type { Metrics } from '../../platform/metrics/registry.ts';
import type { QueueWatcher } from './queue.ts';

/** Measures a queue with controller-runtime's metric names. `now` is a monotonic clock in milliseconds. */
export function measureQueue(
  metrics: Metrics,
  name: string,
  concurrency: number,
  now: () => number = () => performance.now(),
): QueueWatcher {
  const controller = { controller: name };
  const labels = { name, controller: name };
  const waiting = new Map<string, number>();
  const working = new Map<string, number>();
  const secondsSince = (at: number | undefined): number => (now() - (at ?? now())) / 1_000;

  // The series exist from the start, so that the first increment is visible.
  for (const result of ['success', 'error', 'requeue', 'requeue_after'] as const) {
    metrics.record({ name: 'controller_runtime_reconcile_total', labels: { ...controller, result }, value: 0 });
  }
  for (const each of ['workqueue_adds_total', 'workqueue_retries_total'] as const) {
    metrics.record({ name: each, labels, value: 0 });
  }
  for (const each of [
    'controller_runtime_reconcile_errors_total',
    'controller_runtime_terminal_reconcile_errors_total',
    'controller_runtime_reconcile_panics_total',
  ] as const) {
    metrics.record({ name: each, labels: controller, value: 0 });
  }
  metrics.record({ name: 'controller_runtime_max_concurrent_reconciles', labels: controller, value: concurrency });
  metrics.onRead(`queue/${name}`, () => {
    const spent = [...working.values()].map(secondsSince);
    const sum = spent.reduce((all, one) => all + one, 0);
    metrics.record({ name: 'controller_runtime_active_workers', labels: controller, value: working.size });
    metrics.record({ name: 'workqueue_depth', labels: { ...labels, priority: '0' }, value: waiting.size });
    metrics.record({ name: 'workqueue_unfinished_work_seconds', labels, value: sum });
    metrics.record({ name: 'workqueue_longest_running_processor_seconds', labels, value: Math.max(0, ...spent) });
  });

  return {
    added(key) {
      waiting.set(key, now());
      metrics.record({ name: 'workqueue_adds_total', labels });
    },
    taken(key) {
      metrics.record({ name: 'workqueue_queue_duration_seconds', labels, value: secondsSince(waiting.get(key)) });
      waiting.delete(key);
      working.set(key, now());
    },
    ended(key, result, error) {
      const value = secondsSince(working.get(key));
      working.delete(key);
      metrics.record({ name: 'workqueue_work_duration_seconds', labels, value });
      metrics.record({ name: 'controller_runtime_reconcile_time_seconds', labels: controller, value });
      metrics.record({ name: 'controller_runtime_reconcile_total', labels: { ...controller, result } });
      if (result === 'error') metrics.record({ name: 'controller_runtime_reconcile_errors_total', labels: controller });
      if (isMistake(error)) metrics.record({ name: 'controller_runtime_reconcile_panics_total', labels: controller });
    },
    putOff: () => metrics.record({ name: 'workqueue_retries_total', labels }),
  };
}

/** Errors that would be a panic in Go. */
const isMistake = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
