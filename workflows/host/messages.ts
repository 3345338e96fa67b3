import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { SlotAnswer } from '../../domain/host/capacity/slot-record.ts';
import type { NodeObservation } from '../../domain/host/memory/node-observed.ts';
import type { HostSnapshot } from '../../domain/host/memory/snapshot.ts';
import type { HostView } from '../../domain/host/report/view.ts';
import type { HostAnswer, HostClaimOrder, ReleaseOrder } from '../../domain/machine/step.ts';

/** The BareMetalHost as it is now. */
export const hostObserved = defineSignal<[HostSnapshot]>('hostObserved');

/** The BareMetalHost of this uid no longer exists. Never starts a workflow. */
export const hostVanished = defineSignal<[{ readonly uid: string }]>('hostVanished');

/** The host's node as it was seen among all others, unlike what the host shows. Never starts a workflow. */
export const nodeObserved = defineSignal<[NodeObservation]>('nodeObserved');

/** A slot in Ironic is this host's, or how many are ahead of it. */
export const slotAnswered = defineSignal<[SlotAnswer]>('slotAnswered');

/** What the host's status should be; undefined before the first snapshot. */
export const hostView = defineQuery<HostView | undefined>('hostView');

/** Give the host to a machine. Refused, without a trace in the history, when it is known to be somebody else's. */
export const claim = defineUpdate<HostAnswer, [HostClaimOrder]>('claim');

/** Take the host back from a machine. */
export const release = defineUpdate<HostAnswer, [ReleaseOrder]>('release');

/** Options of a host's workflow, fixed at its start and carried from run to run. */
export interface HostOptions {
  /** Continue as new between operations once a run's history is this long, in events. */
  readonly historyLimit?: number;
}

export const HOST_WORKFLOW_TYPE = 'hostWorkflow';
/** Workflows and short activities. */
export const TASK_QUEUE = 'temper';
/** Activities that wait, apart from those that work. */
export const WAIT_TASK_QUEUE = 'temper-wait';
/** Activities of the bridge. */
export const BRIDGE_TASK_QUEUE = 'bridge';

export const hostWorkflowId = (host: { readonly namespace: string; readonly name: string }): string =>
  `baremetalhost/${host.namespace}/${host.name}`;
