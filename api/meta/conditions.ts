import { z } from 'zod';
import type { DeepReadonly } from './readonly.ts';
import { boundedText, integer, time } from './scalars.ts';

const TYPE_PATTERN =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';
const REASON_PATTERN = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';

export const condition = z
  .object({
    type: boundedText({ maxLength: 316, pattern: TYPE_PATTERN }).describe('Type of the condition, for example Ready.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('True, False or Unknown.'),
    reason: boundedText({ minLength: 1, maxLength: 1024, pattern: REASON_PATTERN }).describe(
      'Reason for the status, as one word for programs.',
    ),
    message: boundedText({ maxLength: 32768 }).describe('Details for people; may be empty.'),
    lastTransitionTime: time().describe('Time at which the status last changed.'),
    observedGeneration: integer({ format: 'int64', minimum: 0 })
      .describe(
        'Generation of the object that the condition describes. The condition is outdated when the object has a newer one.',
      )
      .optional(),
  })
  .describe('One aspect of the state of the object.');
export type StoredCondition = DeepReadonly<z.infer<typeof condition>>;

/** At most one condition of each type, so that with server-side apply, two writers can each own one condition. */
export const conditions = z
  .array(condition)
  .describe('Conditions of the object, one of each type.')
  .meta({ maxItems: 32, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });

/** What Cluster API waits for; `provisioned`: when that is. */
export const initialization = (
  provisioned: string,
): z.ZodOptional<z.ZodObject<{ provisioned: z.ZodOptional<z.ZodBoolean> }>> =>
  z
    .object({ provisioned: z.boolean().describe(`${provisioned}; Cluster API waits for it.`).optional() })
    .describe('State of the first initialization.')
    .meta({ minProperties: 1 })
    .optional();
