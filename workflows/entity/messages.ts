import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Seen } from '../../domain/entity/seen.ts';
import type { EntityView } from '../../domain/entity/view.ts';

/** The object as it is now, with all that its decisions depend on. */
export const observed = defineSignal<[Seen]>('observed');

/** The object of this uid no longer exists. Never starts a workflow. */
export const vanished = defineSignal<[{ readonly uid: string }]>('vanished');

/** What the object should show; undefined before the first snapshot. */
export const view = defineQuery<EntityView | undefined>('view');

/** Options of a workflow, fixed at its start and carried from run to run. */
export interface EntityOptions {
  /** Continue as new between actions once a run's history is this long, in events. */
  readonly historyLimit?: number;
}

/** `metal3machine/<namespace>/<name>`. */
export const entityWorkflowId = (
  kind: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string => `${kind.toLowerCase()}/${namespace}/${name}`;
