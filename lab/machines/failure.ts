import { z } from 'zod';

/** How often a failure occurs before the machine works; without it the failure is permanent. */
const times = z.int().positive().optional();
const message = z.string().min(1);

/**
 * Failures that a simulated machine can have. A wrong checksum is not among them: the agent really verifies checksums.
 */
export const failureSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('deploy-step'), step: z.string().default('write_image'), message, times }),
  z.strictObject({ kind: z.literal('clean-step'), step: z.string().optional(), message, times }),
  z.strictObject({ kind: z.literal('inspection'), message, times }),
  z.strictObject({ kind: z.literal('silent-agent'), times }),
  z.strictObject({ kind: z.literal('dead-system'), times }),
  z.strictObject({ kind: z.literal('slow-boot'), milliseconds: z.int().positive(), times }),
  z.strictObject({
    kind: z.literal('slow-step'),
    step: z.string().optional(),
    milliseconds: z.int().positive(),
    times,
  }),
]);

export type Failure = z.infer<typeof failureSchema>;
export type FailureKind = Failure['kind'];

export const failuresSchema = z.array(failureSchema);
