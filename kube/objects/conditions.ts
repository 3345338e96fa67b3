import { z } from 'zod';
import type { Condition, LegacyCondition } from '../../domain/entity/view.ts';

type Status = Readonly<Record<string, unknown>>;

const writtenCondition = z.looseObject({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string().default(''),
  message: z.string().default(''),
  lastTransitionTime: z.string(),
  observedGeneration: z.number().optional(),
});
const writtenLegacyCondition = z.looseObject({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  severity: z.enum(['Error', 'Warning', 'Info']).optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastTransitionTime: z.string(),
});
const conditions = z.array(writtenCondition).catch([]);
const deprecated = z.object({ v1beta1: z.object({ conditions: z.array(writtenLegacyCondition) }) });

/** The conditions of a status with their times, as they were written. */
export const conditionsOf = (status: Status): z.infer<typeof writtenCondition>[] =>
  conditions.parse(status['conditions']);

export function legacyConditionsOf(status: Status): z.infer<typeof writtenLegacyCondition>[] {
  const found = deprecated.safeParse(status['deprecated']);
  return found.success ? found.data.v1beta1.conditions : [];
}

/** The conditions without the fields that are added when they are written. */
export const conditionsIn = (status: Status): readonly Condition[] =>
  conditionsOf(status).map(({ type, status: is, reason, message }) => ({ type, status: is, reason, message }));

export const legacyConditionsIn = (status: Status): readonly LegacyCondition[] =>
  legacyConditionsOf(status).map(({ type, status: is, severity, reason, message }) => ({
    type,
    status: is,
    ...(severity && { severity }),
    ...(reason && { reason }),
    ...(message && { message }),
  }));

/** True when a legacy condition of this type is True. */
export const isLegacyTrue = (status: Status, type: string): boolean =>
  legacyConditionsOf(status).some((condition) => condition.type === type && condition.status === 'True');
