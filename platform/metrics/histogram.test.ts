import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { addHistogram } from './histogram.ts';

const options = {
  name: 'a_duration_seconds',
  help: 'Duration of something',
  buckets: [0.5, 30, 90, 180, 360, 720, 1440],
};
const VALUES = [0, 0.5, 0.6, 29, 30, 31, 1440, 5_000];

test.each([
  { labelNames: [], series: [{}] },
  {
    labelNames: ['namespace', 'host'],
    series: [
      { namespace: 'metal', host: 'a"b' },
      { namespace: 'metal', host: 'c' },
    ],
  },
])(
  'a histogram with the labels $labelNames is written as the library writes its own',
  async ({ labelNames, series }) => {
    const [ours, theirs] = [new Registry(), new Registry()];
    const small = addHistogram(ours, { ...options, labelNames });
    const large = new Histogram({ ...options, labelNames, registers: [theirs] });
    expect(await ours.metrics()).toBe(await theirs.metrics());
    for (const [at, labels] of series.entries()) {
      for (const value of VALUES.slice(at)) {
        small.observe(labels, value);
        large.observe(labels, value);
      }
    }
    expect(await ours.metrics()).toBe(await theirs.metrics());
    small.remove(series[0] ?? {});
    large.remove(series[0] ?? {});
    expect(await ours.metrics()).toBe(await theirs.metrics());
  },
);

test('a series takes little memory, also when its bounds are large', () => {
  const small = addHistogram(new Registry(), { ...options, labelNames: ['host'] });
  const before = process.memoryUsage().heapUsed;
  for (let host = 0; host < 10_000; host++) small.observe({ host: `host-${host}` }, 700);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
});
