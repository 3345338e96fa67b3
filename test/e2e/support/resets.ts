import type { temporal } from '@temporalio/proto';
import { type LabWithTemporal, withTemporal } from './histories.ts';

/** Where a run can be reset to: the end of one of its workflow tasks. */
export interface ResetPoint {
  readonly workflowId: string;
  readonly runId: string;
  /** Of the event that ends the workflow task. */
  readonly eventId: NonNullable<temporal.api.history.v1.IHistoryEvent['eventId']>;
}

/**
 * Whether messages that the run got after the point are sent to the new run again (`--reapply-exclude` of Temporal's
 * CLI).
 */
export type SentSince = 'sent again' | 'lost';
const SIGNALS = 1;
const UPDATES = 2;

/** The points of the last run of a workflow, and those of the run before it, which has ended. */
export const resetPointsOf = (
  lab: LabWithTemporal,
  workflowId: string,
): Promise<Readonly<Record<'last' | 'before', readonly ResetPoint[]>>> =>
  withTemporal(lab, async ({ workflow }) => {
    const runs: { readonly runId: string; readonly startTime: Date }[] = [];
    for await (const run of workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run);
    const [last, before] = runs.toSorted((a, b) => b.startTime.getTime() - a.startTime.getTime());
    const pointsOf = async (run: { readonly runId: string } | undefined): Promise<readonly ResetPoint[]> => {
      if (run === undefined) return [];
      const { events } = await workflow.getHandle(workflowId, run.runId).fetchHistory();
      return (events ?? []).flatMap(({ eventId, workflowTaskCompletedEventAttributes: completed }) =>
        completed == null || eventId == null ? [] : [{ workflowId, runId: run.runId, eventId }],
      );
    };
    return { last: await pointsOf(last), before: await pointsOf(before) };
  });

/** Resets the workflow to this point, as "Reset" in the Web UI does. */
export const resetTo = (
  lab: LabWithTemporal,
  { workflowId, runId, eventId }: ResetPoint,
  since: SentSince = 'sent again',
): Promise<void> =>
  withTemporal(lab, async ({ workflowService, options }) => {
    await workflowService.resetWorkflowExecution({
      namespace: options.namespace,
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: eventId,
      requestId: crypto.randomUUID(),
      reason: 'by a test',
      ...(since === 'lost' && { resetReapplyExcludeTypes: [SIGNALS, UPDATES] }),
    });
  });
