import { expect, test } from 'vitest';
import { METRICS_OF } from './definitions.ts';
import { measureKept } from './kept.ts';
import { createMetrics } from './registry.ts';

const measured = () => {
  const metrics = createMetrics(METRICS_OF.bridge);
  const seriesOf = async (host: string): Promise<number> =>
    (await metrics.read()).split('\n').filter((line) => line.includes(`host="${host}"`)).length;
  const measure = (host: string): void => {
    const labels = { namespace: 'metal', host };
    metrics.record({ name: 'metal3_reconcile_total', labels });
    metrics.record({ name: 'metal3_operation_inspect_duration_seconds', labels, value: 2 });
    for (const on_off of ['on', 'off'])
      metrics.record({ name: 'metal3_operation_power_change_total', labels: { ...labels, on_off } });
  };
  return { metrics, seriesOf, measure };
};

test('all series of an object go, and those of others stay', async () => {
  const { metrics, seriesOf, measure } = measured();
  measure('node-1');
  measure('node-2');
  const before = await seriesOf('node-2');
  expect(before).toBeGreaterThan(3);
  metrics.forget({ namespace: 'metal', host: 'node-1' });
  expect([await seriesOf('node-1'), await seriesOf('node-2')]).toEqual([0, before]);
  metrics.forget({ namespace: 'elsewhere', host: 'node-2' });
  expect(await seriesOf('node-2')).toBe(before);
});

test('of 2,000 objects that are forgotten nothing is kept', () => {
  const { metrics, measure } = measured();
  const hosts = Array.from({ length: 2_000 }, (_, at) => `node-${at}`);
  hosts.forEach(measure);
  expect(metrics.measuredCount).toBe(2_000);
  for (const host of hosts) metrics.forget({ namespace: 'metal', host });
  expect(metrics.measuredCount).toBe(0);
});

test('an object that is measured again begins anew', async () => {
  const { metrics, measure } = measured();
  measure('node-1');
  metrics.forget({ namespace: 'metal', host: 'node-1' });
  measure('node-1');
  expect(await metrics.read()).toContain('metal3_reconcile_total{namespace="metal",host="node-1"} 1');
});

test('what parts keep is shown as it is at each scrape, of a part that was made again that of the newest', async () => {
  const { metrics } = measured();
  const first = new Set(['a']);
  measureKept(metrics, { ledger: () => first.size, running_writes: () => 0 });
  expect(await metrics.read()).toContain('temper_kept{what="ledger"} 1');
  first.add('b');
  expect(await metrics.read()).toContain('temper_kept{what="ledger"} 2');
  measureKept(metrics, { ledger: () => 7 });
  expect(await metrics.read()).toContain('temper_kept{what="ledger"} 7');
});

const LONG = ['30', '90', '180', '360', '720', '1440', '+Inf'];
const SHORT = ['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '+Inf'];

test.each([
  ['register', SHORT],
  ['inspect', LONG],
  ['provision', LONG],
  ['deprovision', LONG],
] as const)(
  'how long it took to %s is told by namespace and host, in the buckets of baremetal-operator',
  async (operation, buckets) => {
    const metrics = createMetrics(METRICS_OF.bridge);
    const name = `metal3_operation_${operation}_duration_seconds`;
    metrics.record({ name, labels: { namespace: 'metal', host: 'node-1' }, value: 0.2 });
    const bounds = [
      ...(await metrics.read()).matchAll(
        new RegExp(`^${name}_bucket{le="(.+?)",namespace="metal",host="node-1"} `, 'gm'),
      ),
    ];
    expect(bounds.map(([, bound]) => bound)).toEqual(buckets);
  },
);
