import type { RemediationMemory, Trouble } from './memory.ts';
import type { RemediationAction, RemediationStep } from './step.ts';

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 60_000;

export const wait = (reason: string, until?: number, cause?: string): RemediationStep => ({
  kind: 'wait',
  reason,
  ...(cause !== undefined && { cause }),
  ...(until !== undefined && { until }),
});

/** Performs the action, or waits for its next attempt after a failure; with a limit, at most until then. */
export function attempt(
  { trouble }: RemediationMemory,
  now: number,
  action: RemediationAction,
  limit = Number.POSITIVE_INFINITY,
): RemediationStep {
  const until = Math.min(trouble?.until ?? now, limit);
  return trouble === null || now >= until
    ? { kind: 'act', action }
    : wait(`waiting to try again after: ${trouble.message}`, until, trouble.message);
}

export function troubled(before: Trouble | null, message: string, now: number): Trouble {
  const times = (before?.times ?? 0) + 1;
  const until = now + Math.min(FIRST_RETRY_MS * 2 ** (times - 1), LAST_RETRY_MS);
  return { message, times, since: before?.since ?? now, until };
}
