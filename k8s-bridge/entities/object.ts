import { z } from 'zod';
import type { Json } from '../../kube/merge-patch.ts';

/**
 * Any object as far as publishing looks at it. Lenient on purpose: what somebody else broke in a spec or a status must
 * not keep the status from being written.
 */
const writable = z.object({
  metadata: z.object({
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    generation: z.number().default(0),
    deletionTimestamp: z.string().optional(),
    annotations: z.record(z.string(), z.string()).default({}),
    finalizers: z.array(z.string()).default([]),
  }),
  spec: z.record(z.string(), z.unknown()).catch({}),
  status: z.record(z.string(), z.unknown()).catch({}),
});
export type Writable = z.infer<typeof writable>;

export const readObject = (object: unknown): Writable => writable.parse(object);

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
const deprecated = z.object({ v1beta1: z.object({ conditions: z.array(writtenLegacyCondition) }) });

export const conditionsOf = (status: Json): z.infer<typeof writtenCondition>[] =>
  z.array(writtenCondition).catch([]).parse(status['conditions']);

export function legacyConditionsOf(status: Json): z.infer<typeof writtenLegacyCondition>[] {
  const found = deprecated.safeParse(status['deprecated']);
  return found.success ? found.data.v1beta1.conditions : [];
}
