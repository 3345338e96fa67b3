import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { PlaceRequest } from '../../domain/lock/lock.ts';
import type { LockView } from '../../domain/lock/words.ts';

/** A host requests places. Starts the run of the lock if needed. */
export const placeRequested = defineSignal<[PlaceRequest]>('placeRequested');

/** The places, or positions in the line, of these tickets are no longer needed. */
export const placesReturned = defineSignal<[readonly string[]]>('placesReturned');

/** How many hosts have places and wait, and the first of them, for people. */
export const lockView = defineQuery<LockView>('lockView');

export const LOCK_WORKFLOW_TYPE = 'lockWorkflow';
