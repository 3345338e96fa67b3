import type { Client } from '@temporalio/client';

/** The id of the client's namespace, another one after Temporal lost its database. Throws without an answer in time. */
export async function namespaceId(
  { connection, workflowService, options }: Client,
  deadlineMs: number,
): Promise<string> {
  const { namespaceInfo } = await connection.withDeadline(Date.now() + deadlineMs, () =>
    workflowService.describeNamespace({ namespace: options.namespace }),
  );
  return namespaceInfo?.id ?? '';
}
