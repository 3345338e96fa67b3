import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Budgets, PlaceRequest } from '../../domain/budgets/budgets.ts';

/** A host requests places in its budgets. Starts the workflow if needed. */
export const placeAsked = defineSignal<[PlaceRequest]>('placeAsked');

/** Hosts no longer need the places of these tickets, or no longer wait for them. */
export const placesReturned = defineSignal<[readonly string[]]>('placesReturned');

/** Which hosts have places and which wait for them, for people. */
export const budgetsView = defineQuery<Budgets>('budgetsView');

export const BUDGETS_WORKFLOW_TYPE = 'budgetsWorkflow';

/** One for each Temporal namespace, because a host may need places in budgets of several objects at once. */
export const BUDGETS_WORKFLOW_ID = 'approval-budgets/default';
