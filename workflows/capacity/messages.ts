import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Capacity, SlotRequest } from '../../domain/capacity/capacity.ts';

/** A host wants one of the places among those that Ironic has in hand. Starts the workflow when there is none. */
export const slotAsked = defineSignal<[SlotRequest]>('slotAsked');

/** The slots, or places in the queue, of these tickets are no longer wanted. */
export const slotsReturned = defineSignal<[readonly string[]]>('slotsReturned');

/** Who has a slot and who waits, for people. */
export const capacityView = defineQuery<Capacity>('capacityView');

export const CAPACITY_WORKFLOW_TYPE = 'capacityWorkflow';

/** There is one Ironic to a Temporal namespace. */
export const CAPACITY_WORKFLOW_ID = 'ironic-capacity/default';
