import { z } from 'zod';
import type { Admitted } from '../../domain/admission/rules.ts';

const looked = z.object({
  metadata: z.object({
    annotations: z.record(z.string(), z.string()).nullish(),
    deletionTimestamp: z.string().nullish(),
  }),
  spec: z.unknown().optional(),
});

/** What decides whether an object is judged at all. */
export function look(object: unknown): Admitted {
  const { metadata, spec } = looked.parse(object);
  return {
    metadata: {
      annotations: metadata.annotations ?? undefined,
      deletionTimestamp: metadata.deletionTimestamp ?? undefined,
    },
    spec,
  };
}
