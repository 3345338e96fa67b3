import type { Client } from '@temporalio/client';
import { HOST_WORKFLOW_TYPE, hostVanished, hostView, hostWorkflowId } from '../workflows/host/messages.ts';
import { nameOf } from './reflector.ts';
import type { Cluster } from './watch.ts';

export interface StrayDeps {
  readonly client: Client;
  readonly cluster: Pick<Cluster, 'host' | 'watches'>;
}

const DEADLINE_MS = 5_000;
const ID_PREFIX = hostWorkflowId({ namespace: '', name: '' }).slice(0, -1);

/** Keys of workflows whose BareMetalHost went while nobody watched, its finalizer torn off. */
export async function* findStrays({ client, cluster }: StrayDeps): AsyncGenerator<string, void, undefined> {
  const query = `WorkflowType = '${HOST_WORKFLOW_TYPE}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const key = workflowId.slice(ID_PREFIX.length);
    if (!workflowId.startsWith(ID_PREFIX) || !cluster.watches(nameOf(key).namespace)) continue;
    if (cluster.host(key) === undefined) yield key;
  }
}

/** Tells such a workflow that its host is no more. Which host it was only the workflow knows. */
export function createTellStray({ client, cluster }: StrayDeps): (key: string) => Promise<void> {
  return async (key) => {
    const handle = client.workflow.getHandle(hostWorkflowId(nameOf(key)));
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, async () => {
      const { status } = await handle.describe();
      if (status.name !== 'RUNNING') return;
      const view = await handle.query(hostView);
      if (view !== undefined && cluster.host(key) === undefined) await handle.signal(hostVanished, { uid: view.uid });
    });
  };
}
