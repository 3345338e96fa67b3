import { expect, test } from 'vitest';
import { METRICS_OF } from '../metrics/definitions.ts';
import { createMetrics } from '../metrics/registry.ts';
import { measureTemporal } from './measure-temporal.ts';

test('Temporal is down until it has answered, and unknown when the process does not need it any more', async () => {
  const metrics = createMetrics(METRICS_OF.bridge);
  const shown = async (): Promise<readonly string[]> => (await metrics.read()).match(/^temper_temporal_up.*$/gm) ?? [];
  const { answers, forget } = measureTemporal(metrics, 'temporal:7233');
  expect(await shown()).toEqual(['temper_temporal_up{address="temporal:7233"} 0']);
  answers(true);
  expect(await shown()).toEqual(['temper_temporal_up{address="temporal:7233"} 1']);
  forget();
  expect(await shown()).toEqual([]);
});
