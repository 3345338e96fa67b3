import type { WorkflowHandle } from '@temporalio/client';

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** The content of a run's history, by its cause. */
export interface RunHistory {
  readonly workflowType: string;
  readonly events: readonly HistoryEvent[];
}

export interface EventCount {
  readonly runs: number;
  readonly events: number;
  /**
   * Number of events by their subject, most frequent first: `workflow task`, `activity publish`, `signal observed` …
   */
  readonly kinds: Readonly<Record<string, number>>;
}

/** Counts what the events are about: each activity, signal or timer once, however many events it takes. */
export function countEvents(histories: readonly RunHistory[]): EventCount {
  const counts = new Map<string, number>();
  const add = (kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  let events = 0;
  for (const { workflowType, events: own } of histories) {
    add(`run ${workflowType}`);
    for (const event of own) {
      events += 1;
      const kind = kindOf(event);
      if (kind !== undefined) add(kind);
    }
  }
  const kinds = Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
  return { runs: histories.length, events, kinds };
}

/** undefined: the event belongs to a subject that is counted already. */
function kindOf(event: HistoryEvent): string | undefined {
  if (event.workflowTaskCompletedEventAttributes) return 'workflow task';
  if (event.workflowTaskFailedEventAttributes) return 'workflow task that failed';
  if (event.workflowTaskTimedOutEventAttributes) return 'workflow task that timed out';
  const activity = event.activityTaskScheduledEventAttributes;
  if (activity) return `activity ${activity.activityType?.name}`;
  if (event.activityTaskFailedEventAttributes) return 'activity that failed';
  const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
  if (child) return `child ${child.workflowType?.name}`;
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (signal) return `signal ${signal.signalName}`;
  const outside = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
  if (outside) return `signal to another, ${outside.signalName}`;
  const update = event.workflowExecutionUpdateAcceptedEventAttributes;
  if (update) return `update ${update.acceptedRequest?.input?.name}`;
  const marker = event.markerRecordedEventAttributes;
  if (marker) return `marker ${marker.markerName}`;
  if (event.upsertWorkflowSearchAttributesEventAttributes) return 'upsert of search attributes';
  if (event.timerStartedEventAttributes) return 'timer';
  if (event.workflowExecutionContinuedAsNewEventAttributes) return 'continue as new';
  return undefined;
}
