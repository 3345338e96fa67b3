import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Capacity, SlotRequest } from '../../domain/capacity/capacity.ts';

/** A host requests a slot. Starts the workflow if needed. */
export const slotAsked = defineSignal<[SlotRequest]>('slotAsked');

/** The slots, or places in the queue, of these tickets are no longer needed. */
export const slotsReturned = defineSignal<[readonly string[]]>('slotsReturned');

/** Which hosts have a slot and which wait for one, for people. */
export const capacityView = defineQuery<Capacity>('capacityView');

export const CAPACITY_WORKFLOW_TYPE = 'capacityWorkflow';

/** One Ironic for each Temporal namespace. */
export const CAPACITY_WORKFLOW_ID = 'ironic-capacity/default';
