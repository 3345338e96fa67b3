import { describe, expect, test } from 'vitest';
import { METRICS_OF } from '../../platform/metrics/definitions.ts';
import { createMetrics } from '../../platform/metrics/registry.ts';
import { measureQueue } from './measure-queue.ts';
import { createQueue } from './queue.ts';

/** A queue with a test-controlled clock whose work ends when the test says so. */
function scene() {
  const metrics = createMetrics(METRICS_OF.bridge);
  let now = 0;
  const ends: ((error?: Error) => void)[] = [];
  const queue = createQueue({
    concurrency: 1,
    onFailure: () => undefined,
    watcher: measureQueue(metrics, 'baremetalhost', 1, () => now),
    backoff: { firstMs: 1_000_000, mostMs: 1_000_000 },
  });
  queue.serve(() => new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve()))));
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    queue,
    pass: async (ms: number): Promise<void> => {
      await settle();
      now += ms;
    },
    end: async (error?: Error): Promise<void> => {
      await settle();
      ends.shift()?.(error);
      await settle();
    },
    /** The output lines of this metric. */
    lines: async (name: string): Promise<readonly string[]> => {
      const text = await metrics.read();
      return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    },
  };
}

const BOTH = '{name="baremetalhost",controller="baremetalhost"}';

describe('a queue under watch', () => {
  test('tells how many wait and how long they did, in the words of controller-runtime', async () => {
    const { queue, pass, end, lines } = scene();
    queue.add('a');
    queue.add('b');
    queue.add('b');
    await pass(2_000);
    expect(await lines('workqueue_adds_total')).toEqual([`workqueue_adds_total${BOTH} 2`]);
    expect(await lines('workqueue_depth')).toEqual([
      'workqueue_depth{name="baremetalhost",controller="baremetalhost",priority="0"} 1',
    ]);
    expect(await lines('controller_runtime_active_workers')).toEqual([
      'controller_runtime_active_workers{controller="baremetalhost"} 1',
    ]);
    expect(await lines('workqueue_unfinished_work_seconds')).toEqual([`workqueue_unfinished_work_seconds${BOTH} 2`]);
    expect(await lines('workqueue_longest_running_processor_seconds')).toEqual([
      `workqueue_longest_running_processor_seconds${BOTH} 2`,
    ]);
    await end();
    expect(await lines('workqueue_queue_duration_seconds_sum')).toEqual([
      `workqueue_queue_duration_seconds_sum${BOTH} 2`,
    ]);
    expect(await lines('workqueue_work_duration_seconds_sum')).toEqual([
      `workqueue_work_duration_seconds_sum${BOTH} 2`,
    ]);
    expect(await lines('workqueue_depth')).toEqual([
      'workqueue_depth{name="baremetalhost",controller="baremetalhost",priority="0"} 0',
    ]);
    await end();
    await queue.stop();
  });

  test('tells how looks ended, and how many are repeated', async () => {
    const { queue, pass, end, lines } = scene();
    queue.add('good');
    await pass(500);
    await end();
    queue.add('bad');
    await end(new Error('no'));
    expect(await lines('controller_runtime_reconcile_total')).toEqual([
      'controller_runtime_reconcile_total{controller="baremetalhost",result="success"} 1',
      'controller_runtime_reconcile_total{controller="baremetalhost",result="error"} 1',
      'controller_runtime_reconcile_total{controller="baremetalhost",result="requeue"} 0',
      'controller_runtime_reconcile_total{controller="baremetalhost",result="requeue_after"} 0',
    ]);
    expect(await lines('controller_runtime_reconcile_errors_total')).toEqual([
      'controller_runtime_reconcile_errors_total{controller="baremetalhost"} 1',
    ]);
    expect(await lines('controller_runtime_reconcile_time_seconds_sum')).toEqual([
      'controller_runtime_reconcile_time_seconds_sum{controller="baremetalhost"} 0.5',
    ]);
    expect(await lines('workqueue_retries_total')).toEqual([`workqueue_retries_total${BOTH} 1`]);
    expect(await lines('controller_runtime_max_concurrent_reconciles')).toEqual([
      'controller_runtime_max_concurrent_reconciles{controller="baremetalhost"} 1',
    ]);
    await queue.stop();
  });

  test('tells a mistake in the program from what it can not help', async () => {
    const { queue, end, lines } = scene();
    const panics = () => lines('controller_runtime_reconcile_panics_total');
    queue.add('unlucky');
    await end(new Error('the API server is away'));
    expect(await panics()).toEqual(['controller_runtime_reconcile_panics_total{controller="baremetalhost"} 0']);
    queue.add('wrong');
    await end(new TypeError('undefined is no function'));
    expect(await panics()).toEqual(['controller_runtime_reconcile_panics_total{controller="baremetalhost"} 1']);
    await queue.stop();
  });
});
