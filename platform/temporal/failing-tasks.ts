import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { TemporalMetrics } from './metrics.ts';

export interface FailingTasks {
  /** One line for each type of workflow whose tasks have failed lately; empty when all is well. */
  readonly lines: readonly string[];
  /** Looks at the SDK's own counters every now and then until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

const INTERVAL_MS = 10_000;
/** Temporal repeats a failed workflow task after ten minutes at the latest. */
const LATELY_MS = 11 * 60_000;

/** Notices workflow tasks that fail: their runs stand still until the code is mended, which is shown nowhere else. */
export function createFailingTasks(metrics: Pick<TemporalMetrics, 'read'>, log: Log, now = Date.now): FailingTasks {
  const known = new Map<string, { readonly count: number; readonly at: number }>();

  const look = async (): Promise<void> => {
    for (const [type, count] of failuresIn(await metrics.read())) {
      const before = known.get(type);
      if (count <= (before?.count ?? 0)) continue;
      log.error({ workflowType: type, failures: count }, 'workflow tasks fail');
      known.set(type, { count, at: now() });
    }
  };

  return {
    get lines() {
      return [...known]
        .filter(([, { at }]) => now() - at < LATELY_MS)
        .map(([type, { count }]) => `${count} tasks of ${type} have failed`);
    },
    async run(signal) {
      while (!signal.aborted) {
        await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
        // The endpoint of the SDK is gone while the process ends.
        await look().catch((error: unknown) => log.debug({ err: error }, 'metrics of the SDK could not be read'));
      }
    },
  };
}

const COUNTER = /^temporal_workflow_task_execution_failed(?:_total)?\{(?<labels>[^}]*)\} (?<count>\S+)/gm;

/** Failed workflow tasks by workflow type, in what the SDK tells Prometheus. */
export function failuresIn(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { groups } of text.matchAll(COUNTER)) {
    const type = /workflow_type="(?<type>[^"]*)"/.exec(groups?.['labels'] ?? '')?.groups?.['type'] ?? 'workflows';
    counts.set(type, (counts.get(type) ?? 0) + Number(groups?.['count']));
  }
  return counts;
}
