import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { BridgeConfig } from './config/config.ts';

export type Log = Logger;

/** Names of values that no log may show, at any depth. */
const SECRET = /password|authorization|user_?data|token/i;
/** Deeper than anything we log; deeper values are cut off. */
const DEPTH = 8;

/** JSON lines on stdout with stable keys; values with a secret name are masked at any depth. */
export const createLog = (
  name: string,
  { LOG_LEVEL: level, DEV_LOGGING: dev }: Pick<BridgeConfig, 'LOG_LEVEL' | 'DEV_LOGGING'>,
  destination?: { write(line: string): void },
): Log =>
  pino(
    {
      name,
      level: dev && level !== 'trace' ? 'debug' : level,
      ...(dev && { timestamp: stdTimeFunctions.isoTime }),
      formatters: { log: (fields) => masked(fields, DEPTH) as Record<string, unknown> },
    },
    destination,
  );

function masked(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.map((item) => masked(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, SECRET.test(key) ? '***' : masked(inner, depth - 1)]),
  );
}
