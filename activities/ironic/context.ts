import { Context } from '@temporalio/activity';

/** What an activity has to know of its own call. */
export interface ActivityCall {
  /** 1 for the first. More: an earlier one may have had its effect without anybody hearing of it. */
  readonly attempt: number;
  /** When the first attempt was asked for, ms since the epoch. */
  readonly askedAt: number;
  /** Aborted, with the reason to throw, when nobody wants or awaits the answer any more. */
  readonly signal: AbortSignal;
}

/** Of the time an attempt has; what is left over is for telling that it has ended. */
const SHARE_FOR_WORK = 0.95;

/** An attempt ends before Temporal begins the next: two at a time would each act on what the other is changing. */
export function currentCall(): ActivityCall {
  const { info, cancellationSignal } = Context.current();
  const deadline = AbortSignal.timeout(Math.floor(info.startToCloseTimeoutMs * SHARE_FOR_WORK));
  return {
    attempt: info.attempt,
    askedAt: info.scheduledTimestampMs,
    signal: AbortSignal.any([cancellationSignal, deadline]),
  };
}
