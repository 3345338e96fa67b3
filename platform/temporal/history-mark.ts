import { Context } from '@temporalio/activity';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { namespaceId } from './namespace-id.ts';

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
const NOT_FOUND = 5;

/**
 * True when these events of a run, the newest first, have the activity, false when neither they nor older ones have it,
 * undefined when older ones may have it.
 */
export function isIn(events: readonly HistoryEvent[], { activityId, scheduledAt }: Performed): boolean | undefined {
  for (const {
    eventTime,
    activityTaskScheduledEventAttributes: scheduled,
    activityTaskStartedEventAttributes,
  } of events) {
    const at = Number(eventTime?.seconds ?? 0) * 1_000 + Math.floor((eventTime?.nanos ?? 0) / 1_000_000);
    if (scheduled?.activityId === activityId && at === scheduledAt) return true;
    // The start of an activity is written when it ends, with the time at which it started.
    if (at < scheduledAt && !activityTaskStartedEventAttributes) return false;
  }
  return undefined;
}

/** Notices that Temporal's database was put back to an earlier time, by the last activity that this process performed. */
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
          if (isGrpcServiceError(error) && Number(error.code) === NOT_FOUND) return undefined;
          throw error;
        });
      if (page === undefined) return now() - scheduledAt > KEPT_MS;
      const found = isIn(page.history?.events ?? [], performed);
      if (found !== undefined) return found;
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
          if (workflowExecution) last = { ...workflowExecution, activityId, scheduledAt: scheduledTimestampMs };
        }
      },
    },
    async look() {
      const namespace = await namespaceId(client, DEADLINE_MS);
      // A database that was lost has none of the runs of which this process remembers something.
      if (known !== undefined && known !== namespace) last = undefined;
      known = namespace;
      const performed = last;
      if (performed === undefined || (await isThere(performed))) return false;
      last = undefined;
      return true;
    },
  };
}
