import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { ageOf } from '../../domain/clock.ts';
import { namespaceId } from './client.ts';
import { isUnknownToTemporal } from './connection-problem.ts';

/** An activity that this process has performed, as the history of its run has it. */
export interface Performed {
  readonly workflowId: string;
  readonly runId: string;
  readonly activityId: string;
  /** ms since the epoch. */
  readonly scheduledAt: number;
}

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Temporal deletes the history of a run some time after its end, an hour at least. */
const KEPT_MS = 3_000_000;
const DEADLINE_MS = 5_000;
const PAGE = 100;
/** Number of activities after a look that the next one looks for: later ones may have followed the restore. */
const REMEMBERED = 5;

/** True when these events of a run have the activity. One that was scheduled later with the same id is another one. */
export const isIn = (events: readonly HistoryEvent[], { activityId, scheduledAt }: Performed): boolean =>
  events.some(({ eventTime, activityTaskScheduledEventAttributes: scheduled }) => {
    const at = Number(eventTime?.seconds ?? 0) * 1_000 + Math.floor((eventTime?.nanos ?? 0) / 1_000_000);
    return scheduled?.activityId === activityId && at <= scheduledAt;
  });

/** Notices that Temporal's database was put back to an earlier time, by activities that this process has performed. */
export interface HistoryMark {
  /** Notes each activity that has ended. */
  readonly interceptor: ActivityInboundCallsInterceptor;
  /** True, once, when the database was put back. Throws when Temporal does not answer. */
  readonly look: () => Promise<boolean>;
}

/**
 * What a process remembers of runs is wrong after that: a worker skips as many new events of a run as its memory is
 * ahead of the history, and does nothing for them.
 */
export function createHistoryMark(client: Client, now: () => number): HistoryMark {
  /** The last one before the last look, and the first ones after it. */
  let remembered: readonly Performed[] = [];
  let last: Performed | undefined;
  let known: string | undefined;

  const isThere = async (performed: Performed): Promise<boolean> => {
    const { workflowId, runId, scheduledAt } = performed;
    let nextPageToken: Uint8Array | undefined;
    do {
      const page = await client.connection
        .withDeadline(Date.now() + DEADLINE_MS, () =>
          client.workflowService.getWorkflowExecutionHistoryReverse({
            namespace: client.options.namespace,
            execution: { workflowId, runId },
            maximumPageSize: PAGE,
            ...(nextPageToken && { nextPageToken }),
          }),
        )
        .catch((error: unknown) => {
          if (isUnknownToTemporal(error)) return undefined;
          throw error;
        });
      if (page === undefined) return ageOf(scheduledAt, now()) > KEPT_MS;
      if (isIn(page.history?.events ?? [], performed)) return true;
      nextPageToken = page.nextPageToken ?? undefined;
    } while (nextPageToken?.length);
    return false;
  };

  return {
    interceptor: {
      async execute(input, next) {
        try {
          return await next(input);
        } finally {
          const { workflowExecution, activityId, scheduledTimestampMs } = Context.current().info;
          if (workflowExecution) {
            last = { ...workflowExecution, activityId, scheduledAt: scheduledTimestampMs };
            if (remembered.length <= REMEMBERED) remembered = [...remembered, last];
          }
        }
      },
    },
    async look() {
      const namespace = await namespaceId(client, DEADLINE_MS);
      // A database that was lost has none of the runs of which this process remembers something.
      const isAnother = known !== undefined && known !== namespace;
      known = namespace;
      let isPutBack = false;
      for (const each of isAnother ? [] : remembered) isPutBack ||= !(await isThere(each));
      if (isAnother || isPutBack) last = undefined;
      remembered = last ? [last] : [];
      return isPutBack;
    },
  };
}
