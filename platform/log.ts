import { type Logger, pino, stdTimeFunctions } from 'pino';
import { withoutUrlSecrets } from '../domain/urls/hidden.ts';
import type { BridgeConfig } from './config/config.ts';
import { maskedFields } from './masked.ts';

export type Log = Logger;

interface LogOptions {
  readonly destination?: { write(line: string): void };
  /** Added to each line. */
  readonly fields?: () => Readonly<Record<string, string>>;
}

/** JSON lines on stdout with stable keys; values with a secret name and secrets in URLs are masked at any depth. */
export const createLog = (
  name: string,
  { LOG_LEVEL: level, DEV_LOGGING: dev }: Pick<BridgeConfig, 'LOG_LEVEL' | 'DEV_LOGGING'>,
  { destination, fields }: LogOptions = {},
): Log =>
  pino(
    {
      name,
      level: dev && level !== 'trace' ? 'debug' : level,
      ...(dev && { timestamp: stdTimeFunctions.isoTime }),
      ...(fields && { mixin: fields }),
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

/**
 * The same log, with these fields added to each line. They are computed from the line's own fields, which take
 * precedence.
 */
export const withFields = (log: Log, fieldsOf: (said: Readonly<Record<string, unknown>>) => object): Log =>
  log.child({}, { formatters: { log: (said) => maskedFields({ ...fieldsOf({ ...said }), ...said }) } });

/** A log line without a message of its own would get the error's message from pino, unmasked. */
function withCleanMessage(args: readonly unknown[]): readonly unknown[] {
  const [first, ...texts] = args;
  const fields = first instanceof Error ? { err: first } : first;
  const error = typeof fields === 'object' && fields !== null && 'err' in fields ? fields.err : undefined;
  const message = texts.length === 0 && error instanceof Error ? [error.message] : [];
  return [fields, ...texts, ...message].map((arg) => (typeof arg === 'string' ? withoutUrlSecrets(arg) : arg));
}
