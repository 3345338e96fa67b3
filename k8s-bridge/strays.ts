import type { Client } from '@temporalio/client';
import type { QueryDefinition, SignalDefinition } from '@temporalio/common';
import { nameOf } from '../kube/reflector.ts';

/** The workflows of one kind of object, and which of its objects there are. */
export interface StrayKind {
  readonly workflowType: string;
  readonly workflowId: (object: { readonly namespace: string; readonly name: string }) => string;
  readonly view: QueryDefinition<{ readonly uid: string } | undefined>;
  readonly vanished: SignalDefinition<[{ readonly uid: string }]>;
  readonly watches: (namespace: string) => boolean;
  readonly has: (key: string) => boolean;
}

const DEADLINE_MS = 5_000;

/** Keys of workflows whose object went while nobody watched, its finalizer torn off, or became another's. */
export async function* findStrays(
  client: Client,
  { workflowType, workflowId, watches, has }: StrayKind,
): AsyncGenerator<string, void, undefined> {
  const prefix = workflowId({ namespace: '', name: '' }).slice(0, -1);
  const query = `WorkflowType = '${workflowType}' AND ExecutionStatus = 'Running'`;
  for await (const found of client.workflow.list({ query })) {
    const key = found.workflowId.slice(prefix.length);
    if (!found.workflowId.startsWith(prefix) || !watches(nameOf(key).namespace)) continue;
    if (!has(key)) yield key;
  }
}

/** Tells such a workflow that its object is no more. Which one it was only the workflow knows. */
export function createTellStray(client: Client, { workflowId, view, vanished, has }: StrayKind) {
  return async (key: string): Promise<void> => {
    const handle = client.workflow.getHandle(workflowId(nameOf(key)));
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, async () => {
      const { status } = await handle.describe();
      if (status.name !== 'RUNNING') return;
      const last = await handle.query(view);
      if (last !== undefined && !has(key)) await handle.signal(vanished, { uid: last.uid });
    });
  };
}
