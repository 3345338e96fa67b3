import { z } from 'zod';
import { conditions } from './conditions.ts';
import { text, time } from './scalars.ts';

/** A condition as Cluster API wrote them up to v1beta1: with a severity, without a generation. */
const deprecatedCondition = z
  .object({
    type: text({ minLength: 1, maxLength: 256 }).describe('What the condition is about, for example Ready.'),
    status: z.string().describe('Whether it holds: True, False or Unknown.'),
    severity: text({ maxLength: 32 })
      .describe('How bad it is when the status is False: Error, Warning or Info; left out otherwise.')
      .optional(),
    lastTransitionTime: time().describe('When the status last changed from one value to another.'),
    reason: text({ minLength: 1, maxLength: 256 }).describe('One word that tells why; may be left out.').optional(),
    message: text({ minLength: 1, maxLength: 10240 }).describe('The same for people; may be left out.').optional(),
  })
  .describe('One claim about the object, in the form of v1beta1.');

export const deprecatedConditions = z
  .array(deprecatedCondition)
  .describe('Claims about the object in the form of v1beta1, for those who still read that.');

export const failureReason = z.string().describe('One word for a problem that does not go away by itself.');
export const FAILURE_MESSAGE = 'The same problem for people, in a sentence.';

/** What a status of v1beta1 has that one of v1beta2 has in `deprecated`. */
export const deprecatedStatus = z
  .object({
    v1beta1: z
      .object({
        conditions: deprecatedConditions.optional(),
        failureReason: failureReason.optional(),
        failureMessage: z.string().describe(FAILURE_MESSAGE).optional(),
      })
      .describe('As v1beta1 shows it.')
      .optional(),
  })
  .describe('Fields that go when v1beta1 goes.');

/** Where a status of v1beta1 has the conditions of v1beta2. */
export const conditionsToCome = z
  .object({ conditions: conditions.optional() })
  .describe('Fields that v1beta2 has in the place of those of v1beta1.');
