import { z } from 'zod';

/** For objects of others, of which little matters: whatever else is odd about them is not ours to judge. */

/** One that is not there is as good as an empty one. */
export const orEmpty = <T extends z.ZodType>(schema: T): z.ZodPreprocess<T> =>
  z.preprocess((value) => value ?? {}, schema);

export const lenientTexts = z.record(z.string(), z.string()).catch({});
export const lenientText = z.string().catch('');
export const lenientFlag = z.boolean().catch(false);
export const maybeText = z.string().optional().catch(undefined);
