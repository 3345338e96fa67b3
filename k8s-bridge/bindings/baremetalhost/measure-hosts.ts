import { census, withGone } from '../../../domain/metrics/census.ts';
import type { CountedHost } from '../../../domain/metrics/counted-host.ts';
import type { ObjectMeasurement } from '../../../domain/metrics/definitions.ts';
import { KINDS } from '../../../kube/kinds.ts';
import type { Stores } from '../../../kube/store.ts';
import type { Metrics } from '../../../platform/metrics/registry.ts';

/** Counts the cached hosts before each scrape. */
export function measureHosts(
  { onRead, record }: Pick<Metrics, 'onRead' | 'record'>,
  stores: Pick<Stores, 'values'>,
  now: () => number,
): void {
  let last: readonly ObjectMeasurement[] = [];
  onRead('hosts', () => {
    // Read without a schema, because there may be thousands.
    const hosts = [...stores.values(KINDS.host)].map(({ object }) => object as CountedHost);
    last = withGone(census(hosts, now()), last);
    last.forEach(record);
  });
}
