import pRetry from 'p-retry';
import { isConflict } from './client.ts';

/** Retries, and their pauses in ms, for an object that other writers change; about 2 s in all. */
const CONTENTION = { retries: 8, minTimeout: 10, factor: 2, maxTimeout: 500, randomize: true };

/**
 * Reads and changes an object, and repeats both after a conflict. `attempt` gets its number, starting at 1; `isPassing`
 * selects the errors that a retry can solve. Throws the last error after all retries.
 */
export const whileContended = <T>(
  attempt: (number: number) => Promise<T>,
  isPassing: (error: unknown) => boolean = isConflict,
): Promise<T> => pRetry(attempt, { ...CONTENTION, shouldRetry: ({ error }) => isPassing(error) });
