import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts';
import type { Service } from '../service.ts';
import { until } from '../supervisor/wait.ts';

export interface TemporalOptions {
  readonly binary: string;
  readonly dir: string;
  readonly port: number;
  readonly uiPort: number;
  readonly metricsPort: number;
  /** Events of a history from which on the server suggests continue-as-new; absent: its own default, 4,096. */
  readonly suggestNewRunAt?: number | undefined;
}

/** The default rates slow down each step of a single host, fourfold or more. */
const DYNAMIC_CONFIG = {
  'history.transferProcessorMaxPollRPS': 200,
  'history.timerProcessorMaxPollRPS': 200,
  'history.visibilityProcessorMaxPollRPS': 200,
  'history.maxInFlightUpdates': 1000,
  // The default of four partitions does not help a single server: a task that arrives where no worker polls is
  // forwarded. One partition saves a tenth of the server's CPU time.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  // An activity that the same worker can perform is returned with the answer to the workflow task. This saves one
  // transaction and two calls.
  'system.enableActivityEagerExecution': true,
  // Pausing is off by default. It is on here because Temper reports paused runs.
  'frontend.WorkflowPauseEnabled': true,
};

/** The development server with its Web UI; with WAL its database file is as fast as memory and survives a kill. */
export function temporal({ binary, dir, port, uiPort, metricsPort, suggestNewRunAt }: TemporalOptions): Service {
  const limits = suggestNewRunAt === undefined ? {} : { 'limit.historyCount.suggestContinueAsNew': suggestNewRunAt };
  return {
    name: 'temporal',
    command: binary,
    args: [
      'server',
      'start-dev',
      '--ip=127.0.0.1',
      `--port=${port}`,
      `--ui-port=${uiPort}`,
      `--metrics-port=${metricsPort}`,
      `--db-filename=${join(dir, 'temporal.db')}`,
      '--sqlite-pragma=journal_mode=WAL',
      '--sqlite-pragma=synchronous=normal',
      '--log-level=warn',
      ...Object.entries({ ...DYNAMIC_CONFIG, ...limits }).map(
        ([key, value]) => `--dynamic-config-value=${key}=${value}`,
      ),
      // Search attributes are registered before the first workflow starts.
      ...Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => `--search-attribute=${name}=${type}`),
    ],
    ready: (signal) => until('Temporal', () => askNamespace(`127.0.0.1:${port}`), signal),
  };
}

async function askNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 2_000 });
  try {
    await connection.withDeadline(Date.now() + 2_000, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    );
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    const missing = Object.keys(SEARCH_ATTRIBUTES).filter((name) => customAttributes?.[name] === undefined);
    if (missing.length > 0) throw new Error(`search attributes ${missing.join(', ')} are not registered yet`);
  } finally {
    await connection.close();
  }
}
