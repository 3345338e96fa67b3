import v8 from 'node:v8';
import { isSdkUnchanged } from './sdk-unchanged.ts';

/**
 * Loaded before our programs, in each of their threads. Temporal's SDK records a call stack for every promise of every
 * workflow, for the tab Call Stack of the Web UI. That takes a seventh more of the workers' CPU time, and most of the
 * time of an activation with thousands of signals. Instead, the details of a run say what it waits for.
 */
if (!isSdkUnchanged()) v8.promiseHooks.createHook = () => () => undefined;
