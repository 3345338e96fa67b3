import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import type { Log } from './log.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Sends what Temporal's SDK has to say through our own log, so that there is one format and one redaction. */
export function logTemporal(log: Log): void {
  const write = ({ level, message, meta }: LogEntry): void => log[LEVELS[level]](meta ?? {}, message);
  Runtime.install({ logger: new DefaultLogger('INFO', write) });
}
