import v8 from 'node:v8';

/**
 * Loaded before a program of ours, in each of its threads. The SDK of Temporal writes down a call stack for
 * every promise of every workflow, for the tab Call Stack of the Web UI. That is a fifth of the workers' CPU and most of
 * what thousands of signals in one activation cost. A run says in its details what it waits for instead.
 */
v8.promiseHooks.createHook = () => () => undefined;
