import type { Client } from '@temporalio/client';
import PQueue from 'p-queue';
import type { RunHistory } from './count-events.ts';

const AT_ONCE = 20;

/** Every run in the namespace with its history: hosts, their children, and shared workflows. */
export async function readHistories(client: Client): Promise<readonly RunHistory[]> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  const histories: Promise<RunHistory>[] = [];
  for await (const { workflowId, runId, type } of client.workflow.list()) {
    const read = async (): Promise<RunHistory> => {
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      return { workflowType: type, events: events ?? [] };
    };
    histories.push(queue.add(read));
  }
  return Promise.all(histories);
}
