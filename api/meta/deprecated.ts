import { z } from 'zod';
import { conditions } from './conditions.ts';
import type { DeepReadonly } from './readonly.ts';
import { boundedText, time } from './scalars.ts';

/** A condition as in Cluster API's v1beta1: with a severity, without a generation. */
const deprecatedCondition = z
  .object({
    type: boundedText({ minLength: 1, maxLength: 256 }).describe('Type of the condition, for example Ready.'),
    status: z.string().describe('True, False or Unknown.'),
    severity: boundedText({ maxLength: 32 })
      .describe('Severity when the status is False: Error, Warning or Info; otherwise left out.')
      .optional(),
    lastTransitionTime: time().describe('Time at which the status last changed.'),
    reason: boundedText({ minLength: 1, maxLength: 256 })
      .describe('Reason for the status, as one word; may be left out.')
      .optional(),
    message: boundedText({ minLength: 1, maxLength: 10240 })
      .describe('Details for people; may be left out.')
      .optional(),
  })
  .describe('One condition in the form of v1beta1.');

export const deprecatedConditions = z
  .array(deprecatedCondition)
  .describe('Conditions in the form of v1beta1, for clients that still read them.');
export type DeprecatedConditions = DeepReadonly<z.infer<typeof deprecatedConditions>>;

export const failureReason = z.string().describe('Reason for a permanent problem, as one word.');
export const FAILURE_MESSAGE = 'Description of the permanent problem.';

/** Fields that are top-level in a v1beta1 status and lie under `deprecated` in v1beta2. */
export const deprecatedStatus = z
  .object({
    v1beta1: z
      .object({
        conditions: deprecatedConditions.optional(),
        failureReason: failureReason.optional(),
        failureMessage: z.string().describe(FAILURE_MESSAGE).optional(),
      })
      .describe('Fields as in v1beta1.')
      .optional(),
  })
  .describe('Fields that will be removed together with v1beta1.');
export type DeprecatedStatus = DeepReadonly<z.infer<typeof deprecatedStatus>>;

/** Holds the v1beta2 conditions in a v1beta1 status. */
export const conditionsToCome = z
  .object({ conditions: conditions.optional() })
  .describe('Fields of v1beta2 that replace those of v1beta1.');
