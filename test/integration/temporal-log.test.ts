import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { createLog } from '../../platform/log.ts';
import { temporalMetrics } from '../../platform/temporal-metrics.ts';
import { installTemporal } from '../../platform/temporal-runtime.ts';

const WARN = 40;
const taskQueue = 'temporal-log';

test('what the native side of Temporal’s SDK warns of is a record of our own log', async () => {
  const lines: string[] = [];
  const log = createLog('test', { LOG_LEVEL: 'info', DEV_LOGGING: false }, { write: (line) => void lines.push(line) });
  installTemporal(log, await temporalMetrics());
  const address = inject('temporalAddress');
  const givenUp = Promise.withResolvers<void>();
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./temporal/outlived-workflow.ts', import.meta.url)),
    activities: { late: () => givenUp.promise },
  });
  const client = new Client({ connection: await Connection.connect({ address }) });
  await worker.runUntil(async () => {
    await client.workflow.execute('outlived', { taskQueue, workflowId: taskQueue });
    givenUp.resolve();
  });
  await client.connection.close();
  await connection.close();

  const records = lines.map((line) => JSON.parse(line) as object);
  const msg: unknown = expect.stringMatching(/activity not found on completion/i);
  expect(records).toContainEqual(expect.objectContaining({ level: WARN, name: 'test', msg }));
});
