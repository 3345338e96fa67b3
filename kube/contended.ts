import pRetry from 'p-retry';
import { isConflict } from './client.ts';

/** How often, and after how long (ms), an object that others change meanwhile is tried again; about 2 s in all. */
const CONTENTION = { retries: 8, minTimeout: 10, factor: 2, maxTimeout: 500, randomize: true };

/**
 * Reads an object and changes it, again when somebody else got in between. `attempt` is told its number, from 1 on;
 * `isPassing` says which errors another look can heal. Throws the last error when others never leave off.
 */
export const whileContended = <T>(
  attempt: (number: number) => Promise<T>,
  isPassing: (error: unknown) => boolean = isConflict,
): Promise<T> => pRetry(attempt, { ...CONTENTION, shouldRetry: ({ error }) => isPassing(error) });
