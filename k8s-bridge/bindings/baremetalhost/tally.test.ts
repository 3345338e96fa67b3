import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Entry } from '../../../kube/store.ts';
import { METRICS_OF } from '../../../platform/metrics/definitions.ts';
import { createMetrics } from '../../../platform/metrics/registry.ts';
import { createHostTally, SHOWN_MS } from './tally.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const host = (name: string): Entry => ({ namespace: 'metal', name, uid: name, resourceVersion: '1', object: {} });
const hosts = Array.from({ length: 2_000 }, (_, at) => host(`node-${at}`));

test('the series of deleted hosts stay until they were scraped, and then none stays', () => {
  const metrics = createMetrics(METRICS_OF.bridge);
  const tally = createHostTally(metrics);
  for (const each of hosts) tally.looked(each);
  for (const each of hosts) tally.forgotten(each);
  vi.advanceTimersByTime(SHOWN_MS - 1);
  expect(metrics.measured).toBe(hosts.length);
  vi.advanceTimersByTime(1);
  expect(metrics.measured).toBe(0);
});

test('the series of a host that was made again stay', () => {
  const metrics = createMetrics(METRICS_OF.bridge);
  const tally = createHostTally(metrics);
  tally.looked(host('node-1'));
  tally.forgotten(host('node-1'));
  tally.looked(host('node-1'));
  vi.advanceTimersByTime(2 * SHOWN_MS);
  expect(metrics.measured).toBe(1);
});
