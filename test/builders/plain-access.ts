import type { TemporalAccess } from '../../platform/temporal/access/access.ts';
import { NO_TRACING } from '../../platform/tracing/tracing.ts';

/** Access without TLS, API key and proxy. */
export const plainAccess = (address: string, namespace: string): TemporalAccess => ({
  address,
  namespace,
  proxy: undefined,
  credentials: { tls: undefined, apiKey: undefined },
  dataConverter: undefined,
  tracing: NO_TRACING,
  follow: () => () => undefined,
  close: async () => undefined,
});
