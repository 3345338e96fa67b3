import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { prepareListing } from '../../platform/temporal/search-attributes.ts';

const PATIENCE_MS = 120_000;

/** Registers a namespace with Temper's search attributes and returns when workflows can be started in it. */
export const createTemporalNamespace = (address: string, namespace: string): Promise<void> =>
  createNamespace(address, namespace, (client) =>
    untilSuccess(async () => {
      const listing = await prepareListing(client);
      if (listing.kind === 'off') throw new Error(listing.reason);
    }),
  );

/** The same without search attributes. */
export const createBareTemporalNamespace = (address: string, namespace: string): Promise<void> =>
  createNamespace(address, namespace, async () => undefined);

async function createNamespace(
  address: string,
  namespace: string,
  prepare: (client: Client) => Promise<void>,
): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: PATIENCE_MS });
  try {
    const { workflowService } = connection;
    await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs('1 day') });
    await untilSuccess(() => workflowService.listWorkflowExecutions({ namespace }));
    await prepare(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}

/** The server learns of a new namespace with some delay. */
async function untilSuccess(attempt: () => Promise<unknown>): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
    await sleep(100);
  }
}
