import { Client } from '@temporalio/client';
import type { TemporalAccess } from './access/access.ts';
import { channelOptions } from './access/channel.ts';
import { connectTemporal } from './connection.ts';

/** Uses renewed credentials by itself. Throws when the server is not ready. */
export async function connectClientOnce(access: TemporalAccess): Promise<Client> {
  const { address, namespace, dataConverter, tracing } = access;
  const connection = await connectTemporal({
    address,
    connectTimeout: 5_000,
    ...channelOptions(access),
    apiKey: () => access.credentials.apiKey ?? '',
  });
  return new Client({
    connection,
    namespace,
    interceptors: { workflow: [...tracing.client] },
    ...(dataConverter && { dataConverter }),
  });
}
