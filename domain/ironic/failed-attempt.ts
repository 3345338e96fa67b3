import { same } from '../same.ts';
import type { WaitOrder } from './orders.ts';

/** Type of the error with which an activity of Ironic ends whose attempt failed; its details are the answer. */
export const FAILED_ATTEMPT = 'FailedAttempt';

/**
 * Passed after the order by workflows that take such an answer from the error: older workflow code reads only results.
 * It is no part of the order, which is compared with what the host asks for.
 */
export const TAKES_FAILURES = { takesFailures: true } as const;

/** True when a workflow has passed that. */
export const takesFailures = (argument: unknown): boolean => same(argument, TAKES_FAILURES);

/** Answers that say that the attempt failed. */
const FAILED: readonly unknown[] = ['failed', 'refused', 'credentials missing', 'credentials invalid'];

/** Why the attempt behind an activity failed, in words; undefined: it did not. */
export function failureIn(activity: string, order: unknown, answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  if (activity === WAIT) return failureOfWait(order as WaitOrder, answer);
  const { kind, message } = answer as { readonly kind?: unknown; readonly message?: unknown };
  return FAILED.includes(kind) && typeof message === 'string' ? message : undefined;
}

const WAIT = 'waitForNode';

/** The answer is the node as the wait has left it. */
function failureOfWait({ until, failing = [] }: Partial<WaitOrder>, node: object): string | undefined {
  const { state, poweredOn, lastError } = node as {
    readonly state?: string;
    readonly poweredOn?: boolean | null;
    readonly lastError?: string | null;
  };
  const isPower = until === 'on' || until === 'off';
  const hasFailed = isPower ? poweredOn !== (until === 'on') : state !== undefined && failing.includes(state);
  if (!hasFailed) return undefined;
  return lastError || (isPower ? `the power is not ${until}` : `Ironic has the node in state '${state}'`);
}
