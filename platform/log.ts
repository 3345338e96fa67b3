import { type Logger, pino, stdTimeFunctions } from 'pino';
import { withoutUrlSecrets } from '../domain/urls/hidden.ts';
import type { BridgeConfig } from './config/config.ts';
import { maskedFields } from './masked.ts';

export type Log = Logger;

/** JSON lines on stdout with stable keys; values with a secret name and secrets in URLs are masked at any depth. */
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
      formatters: { log: maskedFields },
      // Errors are shown by maskedFields.
      serializers: { err: (shown: unknown) => shown },
      hooks: {
        logMethod(args, method) {
          method.apply(this, withCleanMessage(args) as typeof args);
        },
      },
    },
    destination,
  );

/** A log line without a message of its own would get the error's message from pino, unmasked. */
function withCleanMessage(args: readonly unknown[]): readonly unknown[] {
  const [first, ...texts] = args;
  const fields = first instanceof Error ? { err: first } : first;
  const error = typeof fields === 'object' && fields !== null && 'err' in fields ? fields.err : undefined;
  const message = texts.length === 0 && error instanceof Error ? [error.message] : [];
  return [fields, ...texts, ...message].map((arg) => (typeof arg === 'string' ? withoutUrlSecrets(arg) : arg));
}
