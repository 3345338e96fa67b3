import { z } from 'zod';
import { goDuration } from '../../domain/go/duration.ts';

/** The types of settings: the text that a user writes, and the parsed value. */

export const booleanSetting = (description: string): z.ZodType<boolean, string | undefined> =>
  z
    .string()
    .default('false')
    .transform((text) => text.toLowerCase() === 'true')
    .describe(description);

export interface Address {
  /** Without the brackets of IPv6. Empty: all addresses of the machine, of both families. */
  readonly hostname: string;
  readonly port: number;
}

/** An IPv6 address stands in brackets, as in a URL. */
const WRITTEN_ADDRESS = /^(?:\[([^[\]]*)\]|([^:[\]]*)):(\d{1,5})$/;

const HOST_PORT = z
  .string()
  .regex(WRITTEN_ADDRESS, 'must be host:port')
  .transform((text): Address => {
    const [, bracketed, plain, port] = WRITTEN_ADDRESS.exec(text) ?? [];
    return { hostname: bracketed ?? plain ?? '', port: Number(port) };
  });

/** A host alone; an IPv6 address with or without brackets. */
export const hostSetting = (description: string): z.ZodType<string, string | undefined> =>
  z
    .string()
    .default('')
    .transform((text) => text.replace(/^\[(.*)\]$/, '$1'))
    .describe(description);

export const address = (description: string): typeof HOST_PORT => HOST_PORT.describe(description);

/** Like `address`; `0` turns the server off. */
export const optionalAddress = (description: string): z.ZodType<Address | null, string> =>
  z
    .string()
    .refine((text) => text === '0' || WRITTEN_ADDRESS.test(text), 'must be host:port, or 0 to turn it off')
    .transform((text) => (text === '0' ? null : HOST_PORT.parse(text)))
    .describe(description);

export const text = (fallback: string, description: string): z.ZodDefault<z.ZodString> =>
  z.string().default(fallback).describe(description);

export const optionalText = (description: string): z.ZodOptional<z.ZodString> =>
  z.string().optional().describe(description);

export const count = (fallback: number, description: string): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().positive().default(fallback).describe(description);

export const countOrNone = (fallback: number, description: string): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().nonnegative().default(fallback).describe(description);

export const secondsOf = (fallback: number, description: string): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().positive().default(fallback).describe(description);

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

/** The parts of a comma-separated text. */
export const split = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Comma-separated names of a table; the parsed value has the table's entries. */
export const namesFrom = (
  table: Readonly<Record<string, string>>,
  description: string,
): z.ZodType<readonly string[], string | undefined> =>
  z
    .string()
    .default('')
    .transform((text, context) =>
      split(text).flatMap((name) => {
        const found = Object.hasOwn(table, name) ? table[name] : undefined;
        if (found !== undefined) return [found];
        const message = `'${name}' is not one of ${Object.keys(table).join(', ')}`;
        context.addIssue({ code: 'custom', message });
        return [];
      }),
    )
    .describe(description);
