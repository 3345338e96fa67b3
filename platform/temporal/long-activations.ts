import { isSdkUnchanged } from './sdk-unchanged.ts';

/**
 * How long one activation of a workflow may take: less than the longest workflow task (`LONG_TASK_TIMEOUT`). The SDK's
 * own limit is five seconds. A run to which thousands of signals were sent while no worker ran handles all of them in
 * one activation, about a millisecond each, and would fail at that limit again and again. The SDK accepts this worker
 * option, but its types do not contain it.
 */
export const LONG_ACTIVATIONS = isSdkUnchanged() ? {} : { isolateExecutionTimeout: '25 seconds' };
