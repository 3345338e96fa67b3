import { defineSearchAttributeKey } from '@temporalio/common';

/** The provisioning state of the host a run is about, for lists in the Web UI. Registered by the workers at their start. */
export const TEMPER_STATE = defineSearchAttributeKey('TemperState', 'KEYWORD');
