export interface RecordedEvent {
  readonly eventType: string;
  readonly [attributes: string]: unknown;
}

export interface RecordedHistory {
  readonly events: readonly RecordedEvent[];
}

const NAMED = /ACTIVITY_TASK_SCHEDULED|TIMER_STARTED|START_CHILD_WORKFLOW_EXECUTION_INITIATED/;

/** The Web UI cuts off longer texts. */
const LONGEST = 80;

/** The children, activities and timers of a run without a summary. */
export const wordless = ({ events }: RecordedHistory): readonly string[] =>
  events
    .filter(({ eventType, userMetadata }) => NAMED.test(eventType) && !/\w/.test(summaryIn(userMetadata)))
    .map(({ eventType, eventId }) => `${eventType} ${String(eventId)}`);

/** The summaries of a run that a line of the Web UI has no room for. */
export const overlong = ({ events }: RecordedHistory): readonly string[] =>
  events
    .filter(({ eventType }) => NAMED.test(eventType))
    .map(({ userMetadata }) => summaryIn(userMetadata))
    .filter((summary) => summary.length > LONGEST);

/** True when the last line of a run is a timer that was cancelled: it says nothing of what the run does. */
export const endsInCancelledTimer = ({ events }: RecordedHistory): boolean =>
  events.findLast(({ eventType }) => !eventType.includes('_WORKFLOW_TASK_'))?.eventType.endsWith('TIMER_CANCELED') ??
  false;

function summaryIn(metadata: unknown): string {
  const { summary } = (metadata ?? {}) as { readonly summary?: { readonly data?: string } | null };
  const text = Buffer.from(summary?.data ?? '', 'base64').toString('utf8');
  return text === '' ? '' : String(JSON.parse(text));
}
