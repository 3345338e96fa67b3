import { z } from 'zod';

/** For foreign objects of which we use a few fields: everything else in them may be malformed. */

/** An object with these fields; a value that is no object is read as an empty one. */
export const orEmpty = <Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodPreprocess<ReturnType<typeof z.object<Shape>>> =>
  z.preprocess(
    (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}),
    z.object(shape),
  );

/** undefined for a value that is missing or malformed. */
export const maybe = <T extends z.ZodType>(schema: T): z.ZodCatch<z.ZodOptional<T>> =>
  schema.optional().catch(undefined);

export const lenientTexts = z.record(z.string(), z.string()).catch({});
export const lenientText = z.string().catch('');
export const lenientFlag = z.boolean().catch(false);
export const maybeText = maybe(z.string());
