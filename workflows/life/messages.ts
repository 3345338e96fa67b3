import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Observation } from '../../domain/entity/seen.ts';
import type { EntityView, Retrying } from '../../domain/entity/view.ts';

/** The object as it is now, with all that its decisions depend on. Starts the workflow if none runs. */
export const observed = defineSignal<[Observation]>('observed');

/** The object of this uid no longer exists. Never starts a workflow. */
export const vanished = defineSignal<[{ readonly uid: string }]>('vanished');

/** A request of this run, or of its operation, has failed so often that people should know; null: it has not any more. */
export const requestFailing = defineSignal<[Retrying | null]>('requestFailing');

/** The object's view; undefined before the first snapshot. */
export const view = defineQuery<EntityView | undefined>('view');

/** Options of a workflow, fixed at its start and passed from run to run. */
export interface EntityOptions {
  /** Continue as new between actions when a run's history has this number of events. */
  readonly historyLimit?: number;
}

/** What the bridge answers to a view. */
export type PublishAnswer =
  /** The object shows it. */
  | { readonly kind: 'published' }
  /** Something newer was written, or the name belongs to another object now. */
  | { readonly kind: 'superseded' }
  /** There is no such object any more. */
  | { readonly kind: 'gone' }
  /** The run was reset and is in the past: it does nothing more before a snapshot with `anew` comes, which the bridge sends. */
  | { readonly kind: 'behind' };

/** The bridge's activity, on its own task queue. */
export interface PublishActivities {
  /** Writes this view to its object. Idempotent; of several views the newest wins. */
  publish(input: { readonly view: EntityView }): Promise<PublishAnswer>;
}

/** The bridge's activity for callers that find the run of another object missing. */
export interface ReviveActivities {
  /** Begins the run of an object again if none runs; nothing happens when there is no such object. Idempotent. */
  revive(input: { readonly kind: string; readonly namespace: string; readonly name: string }): Promise<void>;
}

/** Workflows and short activities. */
export const TASK_QUEUE = 'temper';
/** Activities that wait, separate from short ones. */
export const WAIT_TASK_QUEUE = 'temper-wait';
/** Activities of the bridge. */
export const BRIDGE_TASK_QUEUE = 'bridge';

/** `metal3machine/<namespace>/<name>`. */
export const entityWorkflowId = (
  kind: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string => `${kind.toLowerCase()}/${namespace}/${name}`;
