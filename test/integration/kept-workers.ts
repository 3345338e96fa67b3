import { inject } from 'vitest';
import type { Log } from '../../platform/log.ts';
import type { TemporalAccess } from '../../platform/temporal/access/access.ts';
import { keepWorker } from '../../platform/temporal/worker.ts';
import { BRIDGE_TASK_QUEUE, TASK_QUEUE } from '../../workflows/messages.ts';
import type { TestView } from './bridge/recorder-workflow.ts';

type Publish = (order: { readonly view: TestView }) => Promise<{ readonly kind: string }>;

/** The worker of the recorder and that of the bridge's activity, kept as the processes keep theirs, until aborted. */
export function keepWorkers(
  temporal: TemporalAccess,
  log: Log,
  publish: Publish,
  signal: AbortSignal,
): Promise<unknown> {
  const others = { temporal, log, signalFailing: async () => undefined, onRunning: () => undefined };
  return Promise.all([
    keepWorker(
      { ...others, options: { taskQueue: TASK_QUEUE, workflowBundle: { codePath: inject('recorderBundle') } } },
      signal,
    ),
    keepWorker({ ...others, options: { taskQueue: BRIDGE_TASK_QUEUE, activities: { publish } } }, signal),
  ]);
}
