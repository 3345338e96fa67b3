import type { MachineMemory } from '../memory/memory.ts';

/** The annotation asks for a retry that was not begun yet. That of a paused machine waits until it is resumed. */
export const isRetryAsked = ({ seen, retried }: MachineMemory): boolean =>
  seen.retry !== undefined && seen.retry !== retried && !seen.paused && seen.cluster?.paused !== true;

/** Ends a backoff and the wait for a host, and searches for the Node again. The annotation is then handled. */
export const retryNow = (memory: MachineMemory): MachineMemory => ({
  ...memory,
  trouble: null,
  noHost: null,
  node: null,
  ...(memory.seen.retry !== undefined && { retried: memory.seen.retry }),
});
