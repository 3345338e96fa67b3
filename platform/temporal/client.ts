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
