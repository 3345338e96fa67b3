import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import type { Log } from '../log.ts';
import type { TemporalMetrics } from './metrics.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Sends what Temporal's SDK has to say through our own log, so that there is one format and one redaction; what it
 * measures it tells at the address, in the units and with the endings that Prometheus wants.
 */
export function installTemporal(log: Log, { bindAddress }: TemporalMetrics): void {
  const write = ({ level, message, meta }: LogEntry): void => log[LEVELS[level]](meta ?? {}, message);
  const prometheus = { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  Runtime.install({ logger: new DefaultLogger('INFO', write), telemetryOptions: { metrics: { prometheus } } });
}
