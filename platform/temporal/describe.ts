import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';

const DEADLINE_MS = 5_000;

/** What Temporal says of a run; undefined: it knows none. Without `runId`: of the latest run. */
export async function describe(
  client: Client,
  workflowId: string,
  runId?: string,
  withinMs = DEADLINE_MS,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.connection.withDeadline(Date.now() + withinMs, () =>
      client.workflow.getHandle(workflowId, runId).describe(),
    );
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
