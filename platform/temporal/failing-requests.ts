import { Context, type Info } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { ageOf } from '../../domain/clock.ts';
import type { Retrying } from '../../domain/entity/view.ts';
import { messageOf } from '../../domain/message-of.ts';
import type { Log } from '../log.ts';
import { runFields } from './activity-fields.ts';

/** The first attempt that is reported; afterwards every doubling of the number of attempts. */
const FIRST_TOLD = 3;
/**
 * An activity that has failed for this long is reported even before its third attempt, because the server does not
 * answer. Just under the time limit of a request.
 */
const SILENCE_MS = 25_000;
/** The same for lists that many activities share: each may take the whole time limit of a request. */
const FIRST_LIST_TOLD = 2;
const DEADLINE_MS = 5_000;
const LONGEST_ANSWER = 1_000;

export type SignalFailing = (workflowId: string, failing: Retrying | null) => Promise<void>;

/**
 * Signals the workflow of an object when an activity of it, or of its operation, keeps failing, and when it succeeds
 * again.
 */
export const failingRequests = (tell: SignalFailing): ActivityInboundCallsInterceptor => ({
  async execute(input, next) {
    const { info, cancellationSignal } = Context.current();
    const workflowId = objectOf(info.workflowExecution?.workflowId ?? '');
    if (workflowId === undefined) return next(input);
    try {
      const answer = await next(input);
      if (info.attempt > FIRST_TOLD || (info.attempt > 1 && isSilent(info))) await tell(workflowId, null);
      return answer;
    } catch (error) {
      // Nobody has answered with an error: the activity is no longer wanted, or its worker stops.
      if (cancellationSignal.aborted) throw error;
      if (isTold(info.attempt) || (info.attempt < FIRST_TOLD && isSilent(info)))
        await tell(workflowId, failing(info, error));
      throw error;
    }
  },
});

/**
 * Signals the workflow of an object that the request its activity waits for keeps failing; `attempts` 0: it succeeds
 * again.
 */
export type TellOutage = (attempts: number, error: unknown) => void;

/**
 * Reports an outage for an activity that shares its requests with others, and so does not fail when a request fails.
 * `isTold`: an earlier attempt may have reported it already.
 */
export function outageTeller(tell: SignalFailing, workflowId: string, what: string, isTold = false): TellOutage {
  const object = objectOf(workflowId);
  let since = '';
  let isTelling = isTold;
  return (attempts, error) => {
    if (object === undefined) return;
    if (attempts === 1) since = new Date().toISOString();
    if (attempts === 0 ? !isTelling : !isToldFrom(FIRST_LIST_TOLD, attempts)) return;
    isTelling = attempts > 0;
    void tell(object, isTelling ? { what, since, attempts, answer: answerOf(error) } : null);
  };
}

/** Sends the signal. An error is only logged, because nothing depends on the signal. */
export const createSignalFailing =
  (client: Client, log: Log): SignalFailing =>
  async (workflowId, failing) => {
    try {
      await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
        client.workflow.getHandle(workflowId).signal('requestFailing', failing),
      );
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError))
        log.info(
          { err: error, workflowId, ...runFields(workflowId) },
          'the workflow could not be signalled that an activity keeps failing',
        );
    }
  };

/** The id of an object's workflow, `<kind>/<namespace>/<name>`; the ids of its operations begin with it. */
function objectOf(workflowId: string): string | undefined {
  const parts = workflowId.split('/');
  return parts.length < 3 ? undefined : parts.slice(0, 3).join('/');
}

export const isTold = (attempt: number): boolean => isToldFrom(FIRST_TOLD, attempt);

const isToldFrom = (first: number, attempt: number): boolean =>
  attempt >= first && Number.isInteger(Math.log2(attempt / first));

const isSilent = ({ scheduledTimestampMs }: Info): boolean => ageOf(scheduledTimestampMs, Date.now()) >= SILENCE_MS;

const answerOf = (error: unknown): string => messageOf(error).slice(0, LONGEST_ANSWER);

const failing = ({ activityType, attempt, scheduledTimestampMs }: Info, error: unknown): Retrying => ({
  what: activityType,
  since: new Date(scheduledTimestampMs).toISOString(),
  attempts: attempt,
  answer: answerOf(error),
});
