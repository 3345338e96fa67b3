import { z } from 'zod';

interface TextBounds {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** The API server counts characters, zod counts UTF-16 units: a name of 64 emoji is 64 long here, as it is there. */
export const text = (bounds: TextBounds): z.ZodString => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern = '' } = bounds;
  const expected = new RegExp(pattern, 'u');
  return z
    .string()
    .refine((value) => Array.from(value).length >= minLength, `must have at least ${minLength} characters`)
    .refine((value) => Array.from(value).length <= maxLength, `must have at most ${maxLength} characters`)
    .refine((value) => expected.test(value), `must match ${pattern}`)
    .meta({ ...bounds });
};

/** What most texts of the Cluster API kinds are: something, and not much. */
export const word = (): z.ZodString => text({ minLength: 1, maxLength: 512 });

interface IntegerBounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: 'int32' | 'int64';
}

/** A whole number of any size: `z.int()` would refuse above 2^53, where the API server goes to 2^63. */
export const integer = (bounds: IntegerBounds = {}): z.ZodNumber => {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = bounds;
  return z
    .number()
    .refine(Number.isInteger, 'must be a whole number')
    .refine((value) => value >= minimum, `must be at least ${minimum}`)
    .refine((value) => value <= maximum, `must be at most ${maximum}`)
    .meta({ type: 'integer', ...bounds });
};

/** An RFC 3339 time, kept as the text the API server holds. */
export const time = (): z.ZodString => z.string().meta({ format: 'date-time' });

/** Six pairs of hexadecimal digits joined by colons, anywhere in the text: some manifests carry more around them. */
export const macAddress = (): z.ZodString => text({ pattern: '[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}' });

/** Six pairs of hexadecimal digits joined by colons and nothing else. */
export const wholeMacAddress = (): z.ZodString => text({ pattern: '^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$' });
