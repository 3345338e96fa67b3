import { z } from 'zod';
import { condition } from '../../api/meta/conditions.ts';

/**
 * What kstatus says of an object of a kind that it does not know, and so Flux, kpt and the controllers of kustomize. The
 * rules were read in kubernetes-sigs/cli-utils at 5895ad6c17dd, pkg/kstatus/status: `generic.go`, then `Compute` and
 * `checkReadyCondition` in `status.go`. The generation of a condition is never looked at.
 */
export type Kstatus = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

const judged = z.object({
  metadata: z.object({ deletionTimestamp: z.string().optional(), generation: z.number().optional() }),
  status: z
    .object({
      observedGeneration: z.number().optional(),
      conditions: z.array(condition.partial().required({ type: true, status: true })).default([]),
    })
    .optional(),
});

export function kstatusOf(object: unknown): Kstatus {
  const { metadata, status: { observedGeneration, conditions = [] } = {} } = judged.parse(object);
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const isKnown = metadata.generation !== undefined && observedGeneration !== undefined;
  if (isKnown && observedGeneration !== metadata.generation) return 'InProgress';
  // The first of the two in the list decides.
  const own = conditions.find(
    ({ type, status }) => status === 'True' && (type === 'Reconciling' || type === 'Stalled'),
  );
  if (own !== undefined) return own.type === 'Stalled' ? 'Failed' : 'InProgress';
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress';
}
