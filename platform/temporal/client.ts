import { Client } from '@temporalio/client';
import type { TemporalAccess } from './access/access.ts';
import { channelOptions } from './access/channel.ts';
import { connectTemporal } from './connection.ts';
import { unreachable } from './connection-problem.ts';

/** Uses renewed credentials by itself. Throws when the server is not ready, with the reason. */
export async function connectClientOnce(access: TemporalAccess): Promise<Client> {
  const { namespace, dataConverter, tracing } = access;
  const connection = await connectTemporal({
    connectTimeout: 5_000,
    ...channelOptions(access),
    apiKey: () => access.credentials.apiKey ?? '',
  }).catch(async (error: unknown) => {
    throw await unreachable(access, error);
  });
  return new Client({
    connection,
    namespace,
    interceptors: { workflow: [...tracing.client] },
    ...(dataConverter && { dataConverter }),
  });
}

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
