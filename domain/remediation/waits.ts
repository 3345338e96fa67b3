import { troubled as again, isPutOff, waitToRetry } from '../entity/retry.ts';
import type { LongTrouble, RemediationMemory } from './memory.ts';
import type { RemediationAction, RemediationStep } from './step.ts';

const LAST_RETRY_MS = 60_000;

/** Performs the action, or waits for its next attempt after a failure; with a limit, at most until then. */
export function attempt(
  { trouble }: RemediationMemory,
  now: number,
  action: RemediationAction,
  limit = Number.POSITIVE_INFINITY,
): RemediationStep {
  const until = Math.min(trouble?.until ?? now, limit);
  return trouble === null || !isPutOff({ until }, now) ? { kind: 'act', action } : waitToRetry(trouble.message, until);
}

export const troubled = (before: LongTrouble | null, message: string, now: number): LongTrouble => ({
  ...again(before, message, now, LAST_RETRY_MS),
  since: before?.since ?? now,
});
