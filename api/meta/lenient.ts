import { z } from 'zod';

/** For foreign objects of which we use a few fields: everything else in them may be malformed. */

/** A value that is no object is read as an empty object. */
export const orEmpty = <T extends z.ZodType>(schema: T): z.ZodPreprocess<T> =>
  z.preprocess((value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}), schema);

export const lenientTexts = z.record(z.string(), z.string()).catch({});
export const lenientText = z.string().catch('');
export const lenientFlag = z.boolean().catch(false);
export const maybeText = z.string().optional().catch(undefined);
