/**
 * How long one activation of a workflow may take: less than the longest workflow task (`LONG_TASK_TIMEOUT`). The SDK's own
 * limit is five seconds. A run that was sent thousands of signals while no worker ran takes them in in one activation,
 * about a millisecond each, and would fail at that limit again and again. The SDK accepts this worker option; its types
 * do not have it.
 */
export const LONG_ACTIVATIONS = { isolateExecutionTimeout: '25 seconds' };
