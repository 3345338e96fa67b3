import { z } from 'zod';
import { integer, text, time } from './scalars.ts';

const TYPE_PATTERN =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';
const REASON_PATTERN = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';

export const condition = z
  .object({
    type: text({ maxLength: 316, pattern: TYPE_PATTERN }).describe('What the condition is about, for example Ready.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds: True, False or Unknown.'),
    reason: text({ minLength: 1, maxLength: 1024, pattern: REASON_PATTERN }).describe(
      'One word a program can branch on that tells why the status is what it is.',
    ),
    message: text({ maxLength: 32768 }).describe('The same for people, in a sentence; may be empty.'),
    lastTransitionTime: time().describe('When the status last changed from one value to another.'),
    observedGeneration: integer({ format: 'int64', minimum: 0 })
      .describe('Generation of the object the condition speaks of; older than the object when it is out of date.')
      .optional(),
  })
  .describe('One claim about the object that holds, does not hold, or is not known.');

/** At most one condition of a type, so that two writers with server-side apply can own one each. */
export const conditions = z
  .array(condition)
  .describe('Claims about the object, one of each type.')
  .meta({ maxItems: 32, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });
