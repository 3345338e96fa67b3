import { setLogger } from '@grpc/grpc-js';
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import getPort from 'get-port';
import type { Log } from '../log.ts';
import { runFields } from './activity-fields.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Sends the SDK's log through our log, so that both have one format and no secrets. The SDK's metrics are served at the
 * address, with Prometheus' units and suffixes.
 */
export function installTemporal(log: Log, { bindAddress }: TemporalMetrics): { close(): Promise<void> } {
  const write = ({ level, message, meta = {} }: LogEntry): void =>
    log[LEVELS[level]]({ ...runFields(meta['workflowId']), ...meta }, message);
  const prometheus = { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  // Without forwarding, the lines of the SDK's native part would be plain text on stdout.
  const logging = { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } as const;
  Runtime.install({ logger: new DefaultLogger('INFO', write), telemetryOptions: { logging, metrics: { prometheus } } });
  const ofGrpc = (message: string): void => log.warn({ error: message }, 'the connection to Temporal has a problem');
  setLogger({ error: ofGrpc, info: ofGrpc, debug: ofGrpc });
  // The forwarding keeps the process alive. The SDK ends it with its last connection, but there may be none.
  return { close: () => Runtime.instance().shutdown() };
}

/**
 * The metrics of Temporal's SDK, which it serves on its own port; on loopback, so that only /metrics needs protection.
 */
interface TemporalMetrics {
  readonly bindAddress: string;
  /** In Prometheus' text format. */
  read(): Promise<string>;
}

export async function temporalMetrics(): Promise<TemporalMetrics> {
  const bindAddress = `127.0.0.1:${await getPort({ host: '127.0.0.1' })}`;
  return {
    bindAddress,
    async read() {
      const response = await fetch(`http://${bindAddress}/metrics`, { signal: AbortSignal.timeout(5_000) });
      return response.text();
    },
  };
}
