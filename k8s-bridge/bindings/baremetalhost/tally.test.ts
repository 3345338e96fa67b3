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
  expect(metrics.measuredCount).toBe(hosts.length);
  vi.advanceTimersByTime(1);
  expect(metrics.measuredCount).toBe(0);
});

test('the series of a host that was made again stay', () => {
  const metrics = createMetrics(METRICS_OF.bridge);
  const tally = createHostTally(metrics);
  tally.looked(host('node-1'));
  tally.forgotten(host('node-1'));
  tally.looked(host('node-1'));
  vi.advanceTimersByTime(2 * SHOWN_MS);
  expect(metrics.measuredCount).toBe(1);
});

test('the series of hosts that vanished by a restore of etcd go, too, and those of hosts that it brought back stay', () => {
  const metrics = createMetrics(METRICS_OF.bridge);
  const before = createHostTally(metrics);
  for (const name of ['kept', 'made since', 'deleted since']) before.looked(host(name));
  before.forgotten(host('deleted since'));
  before.stop();

  createHostTally(metrics).listed((key) => key !== 'metal/made since');
  vi.advanceTimersByTime(SHOWN_MS);
  expect([...metrics.measured].map((object) => object.host)).toEqual(['kept', 'deleted since']);
});
