import { z } from 'zod';
import { metadata } from './metadata.ts';

const secret = z.object({
  metadata,
  type: z.string().default('Opaque'),
  data: z.record(z.string(), z.string()).nullish(),
});
export type Secret = z.infer<typeof secret>;

/** Not memoised: the content of a Secret stays in memory only while it is used. */
export const readSecretObject = (object: unknown): Secret => secret.parse(object);

/** undefined when the key is missing. */
export function textOf({ data }: Secret, key: string): string | undefined {
  const value = data?.[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
}
