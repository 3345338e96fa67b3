import { z } from 'zod';

interface TextBounds {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/**
 * Lengths are counted in characters, as the API server does. zod counts UTF-16 units, so a name of 64 emoji would be
 * too long.
 */
export const boundedText = (bounds: TextBounds): z.ZodString => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern = '' } = bounds;
  const expected = new RegExp(pattern, 'u');
  return z
    .string()
    .refine((value) => Array.from(value).length >= minLength, `must have at least ${minLength} characters`)
    .refine((value) => Array.from(value).length <= maxLength, `must have at most ${maxLength} characters`)
    .refine((value) => expected.test(value), `must match ${pattern}`)
    .meta({ ...bounds });
};

/** A non-empty text of at most 512 characters, as most texts of the Cluster API kinds are. */
export const word = (): z.ZodString => boundedText({ minLength: 1, maxLength: 512 });

interface IntegerBounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: 'int32' | 'int64';
}

/** A whole number up to 2^63, as the API server allows. `z.int()` stops at 2^53. */
export const integer = (bounds: IntegerBounds = {}): z.ZodNumber => {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = bounds;
  return z
    .number()
    .refine(Number.isInteger, 'must be a whole number')
    .refine((value) => value >= minimum, `must be at least ${minimum}`)
    .refine((value) => value <= maximum, `must be at most ${maximum}`)
    .meta({ type: 'integer', ...bounds });
};

/** An RFC 3339 time, kept as text. */
export const time = (): z.ZodString => z.string().meta({ format: 'date-time' });

/** A MAC address anywhere in the text: some manifests have more text around it. */
export const macAddress = (): z.ZodString => boundedText({ pattern: '[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}' });

/** A MAC address and nothing else. */
export const wholeMacAddress = (): z.ZodString => boundedText({ pattern: '^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$' });
