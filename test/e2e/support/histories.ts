import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { z } from 'zod';
import { hostWorkflowId } from '../../../workflows/messages.ts';
import { overlong, type RecordedHistory, wordless } from '../../replay/wordless.ts';
import { NAMESPACE } from './hosts.ts';
import type { TestLab } from './lab.ts';

const FOLDER = fileURLToPath(new URL('../../replay/histories', import.meta.url));

/** Any lab with Temporal. */
export interface LabWithTemporal {
  readonly endpoints: Pick<TestLab['endpoints'], 'temporalAddress' | 'temporalNamespace'>;
}

/** Provides a client of the lab's Temporal during one call. */
export async function withTemporal<Result>(
  lab: LabWithTemporal,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const connection = await Connection.connect({ address: lab.endpoints.temporalAddress, connectTimeout: 60_000 });
  try {
    return await use(new Client({ connection, namespace: lab.endpoints.temporalNamespace }));
  } finally {
    await connection.close();
  }
}

/** An activity that has not succeeded yet. */
export interface Pending {
  readonly type: string;
  /** 1 for the first. */
  readonly attempt: number;
  /**
   * The pause before this attempt; undefined when this attempt is due, because Temporal then reports the next pause.
   */
  readonly pauseMs: number | undefined;
}

/** Failing activities of a host and of its running operation. */
export const pendingOf = (lab: TestLab, host: string): Promise<readonly Pending[]> =>
  withTemporal(lab, async (client) => {
    const describe = (id: string) => client.workflow.getHandle(id).describe();
    const own = await describe(hostWorkflowId({ namespace: NAMESPACE, name: host }));
    const children = await Promise.all(
      (own.raw.pendingChildren ?? []).map(({ workflowId }) => describe(workflowId ?? '')),
    );
    return [own, ...children].flatMap(({ raw }) =>
      (raw.pendingActivities ?? []).map((activity) => ({
        type: activity.activityType?.name ?? '',
        attempt: activity.attempt ?? 0,
        pauseMs: activity.nextAttemptScheduleTime ? optionalTsToMs(activity.currentRetryInterval) : undefined,
      })),
    );
  });

export interface Run {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly status: string;
  readonly history: RecordedHistory;
}

/** Every run of a host and of its operations, with complete history. */
export const runsOf = (lab: LabWithTemporal, host: string): Promise<readonly Run[]> => runsUnder(lab, idOf(host));

const idOf = (host: string): string => hostWorkflowId({ namespace: NAMESPACE, name: host });

/** Why the operations of a host fail, which are tried again until its Secrets are in order. */
export const failuresOf = (lab: LabWithTemporal, host: string): Promise<string> =>
  withTemporal(lab, async ({ workflow }) => {
    const { raw } = await workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name: host })).describe();
    const children = await Promise.all(
      (raw.pendingChildren ?? []).map(({ workflowId }) => workflow.getHandle(workflowId ?? '').describe()),
    );
    const activities = children.flatMap((child) => child.raw.pendingActivities ?? []);
    return activities.map(({ lastFailure }) => lastFailure?.message ?? '').join();
  });

/** Every run of a workflow and of those whose ids begin with its id. */
export const runsUnder = (lab: LabWithTemporal, id: string): Promise<readonly Run[]> =>
  withTemporal(lab, async (client) => {
    const runs: Run[] = [];
    const query = `WorkflowId = '${id}' OR WorkflowId STARTS_WITH '${id}/'`;
    for await (const { workflowId, runId, type, status } of client.workflow.list({ query })) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      runs.push({
        workflowId,
        runId,
        type,
        status: status.name,
        history: JSON.parse(historyToJSON(history)) as RecordedHistory,
      });
    }
    return runs;
  });

/**
 * Ends a story: every child, activity and timer in it must have a summary that a line of the Web UI has room for. With
 * TEMPER_RECORD_HISTORIES set its runs are kept for replay.
 */
export async function keepHistories(
  lab: LabWithTemporal,
  story: string,
  host: string,
  worthKeeping: (run: Run) => boolean = () => true,
): Promise<void> {
  await keepRuns(lab, story, idOf(host), worthKeeping);
}

/** The same for an object of any kind, by workflow id. */
export async function keepRuns(
  lab: LabWithTemporal,
  story: string,
  id: string,
  worthKeeping: (run: Run) => boolean = () => true,
): Promise<void> {
  const runs = await runsUnder(lab, id);
  const faults = runs.flatMap(({ workflowId, history }) =>
    [...wordless(history), ...overlong(history)].map((what) => `${workflowId}: ${what}`),
  );
  if (runs.length === 0 || faults.length > 0) throw new Error(`${story} of ${id}: ${faults.join('; ') || 'no runs'}`);
  if (!process.env['TEMPER_RECORD_HISTORIES']) return;
  const date = new Date().toISOString().slice(0, 10);
  for (const { workflowId, runId, type, history } of runs.filter(worthKeeping)) {
    const folder = join(FOLDER, type);
    await mkdir(folder, { recursive: true });
    const [kind = '', , , ...operation] = workflowId.split('/');
    const what = operation.join('-') || kind;
    const name = `${date}-${story}-${what}-${idIn(history, runId)}`;
    await writeFile(join(folder, `${name}.json`), JSON.stringify({ workflowId, history }));
  }
}

/** The id of a run in the name of its recording: of one that was reset, that of the run that was reset comes first. */
function idIn({ events }: RecordedHistory, runId: string): string {
  const { originalExecutionRunId: original } = started.parse(events[0]);
  return original === runId ? runId : `${original}-reset-${runId}`;
}

const started = z
  .object({ workflowExecutionStartedEventAttributes: z.object({ originalExecutionRunId: z.string() }) })
  .transform(({ workflowExecutionStartedEventAttributes }) => workflowExecutionStartedEventAttributes);
