import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { messageOf } from '../../../domain/message-of.ts';
import { entityWorkflowId, view } from '../../../workflows/messages.ts';
import { withTemporal } from '../../e2e/support/histories.ts';
import { NAMESPACE } from '../../e2e/support/hosts.ts';
import type { AnyTestLab } from '../hosts.ts';

const QUERY_MS = 5_000;

/** What the runs of a host or machine, and of its operation, wait for, in words. */
export const waitsOf = (lab: AnyTestLab, name: string): Promise<string> =>
  withTemporal(lab, async (client) => {
    const described = await runsOf(client, name);
    const waits = await Promise.all(
      described.map(async (run) => [run.workflowId, ...(await said(client, run)), ...pending(run)].join(', ')),
    );
    return waits.length === 0 ? 'no run' : waits.join('; ');
  });

/** Writes the histories of these runs to the folder. */
export const keepHistories = (lab: AnyTestLab, name: string, folder: string): Promise<void> =>
  withTemporal(lab, async (client) => {
    await mkdir(folder, { recursive: true });
    for (const { workflowId, runId } of await runsOf(client, name)) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      await writeFile(join(folder, `${workflowId.replaceAll('/', '-')}.json`), historyToJSON(history));
    }
  });

/** The open runs of the objects of this name, and of their operations. */
async function runsOf(client: Client, name: string): Promise<readonly WorkflowExecutionDescription[]> {
  const describe = async (workflowId: string): Promise<readonly WorkflowExecutionDescription[]> => {
    const run = await client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined);
    if (run?.status.name !== 'RUNNING') return [];
    const children = run.raw.pendingChildren ?? [];
    return [run, ...(await Promise.all(children.map((child) => describe(child.workflowId ?? '')))).flat()];
  };
  const ids = ['BareMetalHost', 'Metal3Machine'].map((kind) => entityWorkflowId(kind, { namespace: NAMESPACE, name }));
  return (await Promise.all(ids.map(describe))).flat();
}

/** What the run of an object says itself. */
async function said(client: Client, { workflowId, runId }: WorkflowExecutionDescription): Promise<readonly string[]> {
  if (workflowId.split('/').length > 3) return [];
  try {
    const answer = await client.connection.withDeadline(Date.now() + QUERY_MS, () =>
      client.workflow.getHandle(workflowId, runId).query(view),
    );
    const { waitingFor = '', behind, until, retrying } = answer ?? {};
    return [
      `waits for '${waitingFor}'${until === undefined ? '' : ` until ${until}`}`,
      ...(behind === undefined ? [] : [`behind: ${behind}`]),
      ...(retrying === undefined ? [] : [`${retrying.what} is tried since ${retrying.since}: ${retrying.answer}`]),
    ];
  } catch (error) {
    return [`does not answer: ${messageOf(error)}`];
  }
}

function pending({ raw, historyLength }: WorkflowExecutionDescription): readonly string[] {
  const task = raw.pendingWorkflowTask;
  return [
    `${historyLength} events`,
    ...(task == null ? [] : [`attempt ${task.attempt} of its workflow task`]),
    ...(raw.pendingActivities ?? []).map(({ activityType, attempt, lastFailure }) =>
      [`attempt ${attempt} of ${activityType?.name}`, lastFailure?.message].filter(Boolean).join(': '),
    ),
  ];
}
