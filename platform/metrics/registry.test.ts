import { expect, test } from 'vitest';
import { METRICS_OF } from './definitions.ts';
import { createMetrics } from './registry.ts';

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
