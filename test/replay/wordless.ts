export interface RecordedEvent {
  readonly eventType: string;
  readonly [attributes: string]: unknown;
}

export interface RecordedHistory {
  readonly events: readonly RecordedEvent[];
}

const NAMED = /ACTIVITY_TASK_SCHEDULED|TIMER_STARTED|START_CHILD_WORKFLOW_EXECUTION_INITIATED/;

/** The children, activities and timers of a run without a summary. */
export const wordless = ({ events }: RecordedHistory): readonly string[] =>
  events
    .filter(({ eventType, userMetadata }) => NAMED.test(eventType) && !/\w/.test(summaryIn(userMetadata)))
    .map(({ eventType, eventId }) => `${eventType} ${String(eventId)}`);

function summaryIn(metadata: unknown): string {
  const { summary } = (metadata ?? {}) as { readonly summary?: { readonly data?: string } | null };
  return Buffer.from(summary?.data ?? '', 'base64').toString('utf8');
}
