import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { SlotAnswer } from '../../domain/host/capacity/slot-record.ts';
import type { NodeObservation } from '../../domain/host/memory/node-observed.ts';
import type { HostAnswer, HostClaimOrder, ReleaseOrder } from '../../domain/machine/memory/step.ts';
import { entityWorkflowId } from '../life/messages.ts';

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
} as const;

/** `baremetalhost/<namespace>/<name>`. */
export const hostWorkflowId = (host: { readonly namespace: string; readonly name: string }): string =>
  entityWorkflowId('BareMetalHost', host);
