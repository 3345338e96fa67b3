import { type Client, WorkflowFailedError } from '@temporalio/client';
import { toSeconds } from '../../domain/entity/conditions.ts';
import { messageOf } from '../../domain/message-of.ts';
import type { Named } from '../../kube/paths.ts';
import { ENDED_MEMO, hostWorkflowId } from '../../workflows/messages.ts';
import { type Endpoints, fromTemporal } from '../access.ts';

/** One attempt at an operation of a host, as Temporal lists it. */
export interface OperationRun {
  /** `baremetalhost/metal/node-1/provision/3`. */
  readonly id: string;
  /** Temporal's word: `COMPLETED`, `FAILED`, `RUNNING`. */
  readonly status: string;
  /** RFC 3339. */
  readonly start: string;
  readonly end?: string;
  readonly error?: string;
  /** Why it was cancelled. */
  readonly because?: string;
}

/** The runs of the last operations of a host, the oldest first; a text: why they could not be listed. */
export type AskRunsOf = (host: Named) => Promise<readonly OperationRun[] | string>;

const MOST = 20;
/** Time limit for all requests together. */
const PATIENCE_MS = 10_000;

export const askRunsOf =
  (endpoints: Endpoints): AskRunsOf =>
  (host) =>
    fromTemporal(endpoints, (client) => client.withDeadline(Date.now() + PATIENCE_MS, () => runsOf(client, host)));

async function runsOf(client: Client, host: Named): Promise<readonly OperationRun[]> {
  const query = `WorkflowId STARTS_WITH "${hostWorkflowId(host)}/"`;
  const runs: Promise<OperationRun>[] = [];
  for await (const { workflowId, runId, status, startTime, closeTime, memo } of client.workflow.list({
    query,
    pageSize: MOST,
  })) {
    runs.push(
      (async () => ({
        id: workflowId,
        status: status.name,
        start: toSeconds(startTime.getTime()),
        ...(closeTime !== undefined && { end: toSeconds(closeTime.getTime()) }),
        ...(typeof memo?.[ENDED_MEMO] === 'string' && { because: memo[ENDED_MEMO] }),
        ...(status.name === 'FAILED' && { error: await errorOf(client, workflowId, runId) }),
      }))(),
    );
    if (runs.length === MOST) break;
  }
  return (await Promise.all(runs)).toSorted((a, b) => (a.start < b.start ? -1 : 1));
}

/** The failure is in the last event of the run, which has ended. */
const errorOf = (client: Client, workflowId: string, runId: string): Promise<string> =>
  client.workflow
    .getHandle(workflowId, runId)
    .result()
    .then(
      () => '',
      (error: unknown) => messageOf(error instanceof WorkflowFailedError ? error.cause : error),
    );
