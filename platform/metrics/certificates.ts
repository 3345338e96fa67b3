import type { OnRead } from '../tls/serving-certificate.ts';
import type { Metrics } from './registry.ts';

/** Counts reads of certificates with the names of controller-runtime's metrics; both counters exist from the start. */
export function countReadings(record: Metrics['record']): OnRead {
  record({ name: 'certwatcher_read_certificate_total', labels: {}, value: 0 });
  record({ name: 'certwatcher_read_certificate_errors_total', labels: {}, value: 0 });
  return (result) => {
    record({ name: 'certwatcher_read_certificate_total', labels: {} });
    if (result === 'failed') record({ name: 'certwatcher_read_certificate_errors_total', labels: {} });
  };
}
