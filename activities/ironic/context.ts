import { Context } from '@temporalio/activity';
import { showProgress } from '../../platform/temporal/progress.ts';

/** The context of a running activity. */
export interface ActivityCall {
  /** 1 for the first. With a higher number, an earlier attempt may have had its effect. */
  readonly attempt: number;
  /** Time at which the first attempt was scheduled, in ms since the epoch. */
  readonly askedAt: number;
  /** Milliseconds from then until this attempt was scheduled. Both times are Temporal's: the clock of this worker may be wrong. */
  readonly waitedMs: number;
  /** Aborted, with the reason to throw, when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** The workflow that waits for the answer. */
  readonly workflowId: string;
  /** Shows the progress of a wait with its heartbeats. */
  readonly show: (progress: NodeProgress) => void;
}

/** What Ironic does with a node. */
export interface NodeProgress {
  readonly state: string;
  /** Such as `deploy.write_image`; absent between two steps. */
  readonly step?: string;
}

/** Share of an attempt's time for its work; the rest is for reporting its end. */
const SHARE_FOR_WORK = 0.95;

/** An attempt ends before Temporal starts the next one, because two at a time would change the same node. */
export function currentCall(): ActivityCall {
  const context = Context.current();
  const { info, cancellationSignal } = context;
  const deadline = AbortSignal.timeout(Math.floor(info.startToCloseTimeoutMs * SHARE_FOR_WORK));
  return {
    attempt: info.attempt,
    askedAt: info.scheduledTimestampMs,
    waitedMs: Math.max(0, info.currentAttemptScheduledTimestampMs - info.scheduledTimestampMs),
    signal: AbortSignal.any([cancellationSignal, deadline]),
    workflowId: info.workflowExecution?.workflowId ?? '',
    // Lists of nodes come outside of the activity's own context.
    show: (progress) => showProgress(context, progress),
  };
}

/** The part of a logger that is used here: details with stable keys, then a constant message. */
export interface IronicLog {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}
