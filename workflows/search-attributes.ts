import { defineSearchAttributeKey } from '@temporalio/common';

/** The provisioning state of a run's host, for lists in the Web UI. The workers register it at their start. */
export const TEMPER_STATE = defineSearchAttributeKey('TemperState', 'KEYWORD');
