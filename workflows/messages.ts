import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Observation } from '../domain/entity/seen.ts';
import type { EntityView, Retrying } from '../domain/entity/view.ts';
import type { SlotAnswer } from '../domain/host/memory/slot-record.ts';
import type { NodeObservation } from '../domain/host/outcome/node-observed.ts';
import type { HostAnswer, HostClaimOrder, ReleaseOrder } from '../domain/machine/memory/step.ts';

/** The object as it is now, with everything that decisions depend on. Starts the workflow if none runs. */
export const observed = defineSignal<[Observation]>('observed');

/** The object of this uid no longer exists. Never starts a workflow. */
export const vanished = defineSignal<[{ readonly uid: string }]>('vanished');

/** A request of this run, or of its operation, has failed at least three times; null: it has succeeded since. */
export const requestFailing = defineSignal<[Retrying | null]>('requestFailing');

/** The object's view; undefined before the first snapshot. */
export const view = defineQuery<EntityView | undefined>('view');

/** Options of a workflow, fixed at its start and passed from run to run. */
export interface EntityOptions {
  /** Continue as new between actions when a run's history has this number of events. */
  readonly historyLimit?: number;
  /** The namespace has no search attribute for the state: the run is not listed by it. */
  readonly unlisted?: true;
}

/** What the bridge answers to a view. */
export type PublishAnswer =
  /** The view is in the object's status. `at`: time of the write, by the bridge's clock, ms; older bridges leave it out. */
  | { readonly kind: 'published'; readonly at?: number }
  /** A newer view was written, or the name belongs to another object now. */
  | { readonly kind: 'superseded' }
  /** The object does not exist any more. */
  | { readonly kind: 'gone' }
  /** The run knows less than the object shows: it waits for a snapshot with `anew`, which the bridge sends. */
  | { readonly kind: 'behind' };

export interface HandedOver {
  readonly view: EntityView;
}

/** The bridge's activity, on its own task queue. */
export interface PublishActivities {
  /** Writes this view to its object. Idempotent; of several views the newest wins. */
  publish(input: HandedOver): Promise<PublishAnswer>;
}

/** The local activity of the workers that saves an activity of the bridge. */
export interface ViewActivities {
  /** Hands the view to the active bridge, which writes it before it answers; 'not taken': it is to be published. */
  handOverView(input: HandedOver): Promise<PublishAnswer | { readonly kind: 'not taken' }>;
}

/** The bridge's activity for workflows that find no run of another object. */
export interface ReviveActivities {
  /** Starts the workflow of an object if none runs; does nothing when the object does not exist. Idempotent. */
  revive(input: { readonly kind: string; readonly namespace: string; readonly name: string }): Promise<void>;
}

/**
 * Type of the failure of an activity whose object does not ask for the request (any more): Temporal was restored from a
 * backup, the run was reset, or the message is forged.
 */
export const STALE = 'Stale';

/** Workflows and short activities. */
export const TASK_QUEUE = 'temper';
/** Activities that wait for Ironic, or for the answer of a host, separate from short ones. */
export const WAIT_TASK_QUEUE = 'temper-wait';
/** Activities that wait for Nodes, which may never come or be free: separate from all others. */
export const NODE_TASK_QUEUE = 'temper-nodes';
/** Activities of the bridge. */
export const BRIDGE_TASK_QUEUE = 'bridge';

/** `metal3machine/<namespace>/<name>`. */
export const entityWorkflowId = (
  kind: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string => `${kind.toLowerCase()}/${namespace}/${name}`;

/** To a host: its Ironic node, which differs from what the host shows. Never starts a workflow. */
export const nodeObserved = defineSignal<[NodeObservation]>('nodeObserved');

/** To a host: it has a slot in Ironic, or so many hosts are ahead of it. */
export const slotAnswered = defineSignal<[SlotAnswer]>('slotAnswered');

/** Claims the host for a machine. Refused without an entry in the history when it is known to have another consumer. */
export const claim = defineUpdate<HostAnswer, [HostClaimOrder]>('claim');

/** Releases the host from a machine. */
export const release = defineUpdate<HostAnswer, [ReleaseOrder]>('release');

/** Workflow types by kind. */
export const WORKFLOW_TYPES = {
  BareMetalHost: 'hostWorkflow',
  Metal3Cluster: 'metal3ClusterWorkflow',
  Metal3Machine: 'metal3MachineWorkflow',
  Metal3DataTemplate: 'dataTemplateWorkflow',
  Metal3Data: 'dataWorkflow',
  IPPool: 'ipPoolWorkflow',
  Metal3Remediation: 'remediationWorkflow',
  'Machine.machine.openshift.io': 'openShiftMachineWorkflow',
  'Machine.cluster.k8s.io': 'clusterMachineWorkflow',
  'MachineSet.machine.openshift.io': 'machineSetWorkflow',
} as const;

/** The limit of a workflow task, which is Temporal's own: the next one begins after this time when a worker was killed in one. */
const TASK_TIMEOUT = '10 seconds';
/** For runs that take in what many objects ask for: thousands of signals, or thousands of claims, in one workflow task. */
export const LONG_TASK_TIMEOUT = '30 seconds';
const LONG_TASKS: readonly string[] = [WORKFLOW_TYPES.IPPool, WORKFLOW_TYPES.Metal3DataTemplate];

export const taskTimeoutOf = (workflowType: string): '10 seconds' | '30 seconds' =>
  LONG_TASKS.includes(workflowType) ? LONG_TASK_TIMEOUT : TASK_TIMEOUT;

/** `baremetalhost/<namespace>/<name>`. */
export const hostWorkflowId = (host: { readonly namespace: string; readonly name: string }): string =>
  entityWorkflowId('BareMetalHost', host);
