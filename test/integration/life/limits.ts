import type { Client } from '@temporalio/client';

/** Time limits in the history of a run and of its children, by which Temporal would end tasks that wait for servers. */
export interface Limits {
  /** Activities that only wait. */
  readonly waits: number;
  readonly children: number;
  /** The tasks with a limit, in words. */
  readonly limited: readonly string[];
}

const WAITING: readonly string[] = ['waitForNode', 'awaitNode', 'awaitDrain'];

type Duration = { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined;

export async function limitsOf(client: Client, workflowId: string): Promise<Limits> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  let [waits, children] = [0, 0];
  const limited: string[] = [];
  const note = (what: string, limits: Readonly<Record<string, Duration>>): void => {
    for (const [name, limit] of Object.entries(limits)) if (isSet(limit)) limited.push(`${what}: ${name}`);
  };
  for (const event of events ?? []) {
    const activity = event.activityTaskScheduledEventAttributes;
    const type = activity?.activityType?.name ?? '';
    if (WAITING.includes(type)) {
      waits += 1;
      const { scheduleToCloseTimeout, scheduleToStartTimeout, retryPolicy } = activity ?? {};
      note(type, { scheduleToCloseTimeout, scheduleToStartTimeout });
      if (retryPolicy?.maximumAttempts) limited.push(`${type}: maximumAttempts`);
    }
    const started = event.workflowExecutionStartedEventAttributes;
    const { workflowRunTimeout, workflowExecutionTimeout } = started ?? {};
    note(started?.workflowType?.name ?? '', { workflowRunTimeout, workflowExecutionTimeout });
    const child = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId;
    if (child === null || child === undefined) continue;
    const inside = await limitsOf(client, child);
    waits += inside.waits;
    children += 1 + inside.children;
    limited.push(...inside.limited);
  }
  return { waits, children, limited };
}

const isSet = (limit: Duration): boolean => Number(limit?.seconds ?? 0) > 0 || (limit?.nanos ?? 0) > 0;
