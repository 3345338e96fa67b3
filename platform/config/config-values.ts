import { z } from 'zod';
import { goDuration } from '../../domain/go/duration.ts';

/** The types of settings: how they are written, and the parsed value. */

export const booleanSetting = (description: string): z.ZodType<boolean, string | undefined> =>
  z
    .string()
    .default('false')
    .transform((text) => text.toLowerCase() === 'true')
    .describe(description);

export interface Address {
  readonly hostname: string;
  readonly port: number;
}

const HOST_PORT = z
  .string()
  .regex(/^.*:\d{1,5}$/, 'must be host:port')
  .transform((text): Address => {
    const colon = text.lastIndexOf(':');
    return { hostname: text.slice(0, colon) || '0.0.0.0', port: Number(text.slice(colon + 1)) };
  });

export const address = (description: string): typeof HOST_PORT => HOST_PORT.describe(description);

/** Like `address`; `0` turns the server off. */
export const optionalAddress = (description: string): z.ZodType<Address | null, string> =>
  z
    .string()
    .regex(/^(.*:\d{1,5}|0)$/, 'must be host:port, or 0 to turn it off')
    .transform((text) => (text === '0' ? null : HOST_PORT.parse(text)))
    .describe(description);

export const millis = (fallback: number, description: string): z.ZodType<number> =>
  z.coerce.number().int().positive().default(fallback).describe(description);

/** Milliseconds of a Go duration. */
export const duration = (
  fallback: string,
  isAllowed: (ms: number) => boolean,
  rule: string,
  description: string,
): z.ZodType<number, string | undefined> =>
  z
    .string()
    .default(fallback)
    .transform((text, context) => {
      const ms = goDuration(text);
      if (ms !== undefined && isAllowed(ms)) return ms;
      context.addIssue({ code: 'custom', message: `must be a duration such as 30s, ${rule}` });
      return z.NEVER;
    })
    .describe(description);

/** Comma-separated names of a table; the parsed value has the table's entries. */
export const namesFrom = (
  table: Readonly<Record<string, string>>,
  description: string,
): z.ZodType<readonly string[], string | undefined> =>
  z
    .string()
    .default('')
    .transform((text, context) =>
      text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
        .flatMap((name) => {
          const found = Object.hasOwn(table, name) ? table[name] : undefined;
          if (found !== undefined) return [found];
          const message = `'${name}' is not one of ${Object.keys(table).join(', ')}`;
          context.addIssue({ code: 'custom', message });
          return [];
        }),
    )
    .describe(description);
