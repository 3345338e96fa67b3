import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { TemporalMetrics } from './metrics.ts';

export interface FailingTasks {
  /** A text for each workflow type whose tasks have failed recently; empty when there are none. */
  readonly lines: readonly string[];
  /** Reads the SDK's counters at an interval until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

const INTERVAL_MS = 10_000;
/** Temporal retries a failed workflow task after at most ten minutes. */
const LATELY_MS = 11 * 60_000;

/** Detects failing workflow tasks: their runs stand still until the code is fixed, and nothing else reports them. */
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
        // The endpoint of the SDK is closed while the process ends.
        await look().catch((error: unknown) => log.debug({ err: error }, 'the metrics of the SDK could not be read'));
      }
    },
  };
}

const COUNTER = /^temporal_workflow_task_execution_failed(?:_total)?\{(?<labels>[^}]*)\} (?<count>\S+)/gm;

/** Failed workflow tasks by workflow type, from the SDK's metrics in Prometheus' format. */
export function failuresIn(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { groups } of text.matchAll(COUNTER)) {
    const type = /workflow_type="(?<type>[^"]*)"/.exec(groups?.['labels'] ?? '')?.groups?.['type'] ?? 'workflows';
    counts.set(type, (counts.get(type) ?? 0) + Number(groups?.['count']));
  }
  return counts;
}
