import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { TemporalMetrics } from './metrics.ts';

export interface FailingTasks {
  /** A text for each workflow type whose tasks have failed again and again recently; empty when there are none. */
  readonly lines: readonly string[];
  /** Reads the SDK's counters at an interval until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

const INTERVAL_MS = 10_000;
/** Temporal retries a failed workflow task after at most ten minutes. */
const LATELY_MS = 11 * 60_000;
/**
 * A run that is blocked fails its task at each attempt. A single failure is not reported, because the next attempt may
 * succeed.
 */
const AGAIN = 2;
/**
 * The SDK counts two errors under this name: an error in the workflow's code, and a history that it could not read to
 * its end for a query. It reports only the first one to Temporal, at the first attempt of the task.
 */
const AMBIGUOUS = 'WorkflowError';

/** Detects failing workflow tasks: their runs stand still until the code is fixed, and nothing else reports them. */
export function createFailingTasks(metrics: Pick<TemporalMetrics, 'read'>, log: Log, now = Date.now): FailingTasks {
  let counted: ReadonlyMap<string, TaskFailures> = new Map();
  /** This process has reported a failed task to Temporal. */
  let isReported = false;
  const failed = new Map<string, readonly { readonly count: number; readonly at: number }[]>();
  const recent = (type: string) => (failed.get(type) ?? []).filter(({ at }) => now() - at < LATELY_MS);
  const isMistake = (type: string): boolean =>
    isReported || counted.get(type)?.reasons.some((reason) => reason !== AMBIGUOUS) === true;
  const isFailing = (type: string): boolean =>
    isMistake(type) && recent(type).reduce((sum, { count }) => sum + count, 0) >= AGAIN;

  const look = async (): Promise<void> => {
    const text = await metrics.read();
    const [before, counts] = [counted, failuresIn(text)];
    counted = counts;
    isReported = REPORTED.test(text);
    for (const [type, { count, reasons }] of counts) {
      const more = count - (before.get(type)?.count ?? 0);
      if (more <= 0) continue;
      failed.set(type, [...recent(type), { count: more, at: now() }]);
      const facts = { workflowType: type, failures: count, reasons };
      if (isFailing(type)) log.error(facts, 'workflow tasks fail');
      else log.warn(facts, 'a workflow task failed; Temporal tries it again');
    }
  };

  return {
    get lines() {
      return [...failed.keys()]
        .filter(isFailing)
        .map((type) => `${counted.get(type)?.count} tasks of ${type} have failed`);
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

const REPORTED = /^temporal_request(?:_total)?\{[^}]*operation="RespondWorkflowTaskFailed"[^}]*\} [1-9]/m;

export interface TaskFailures {
  readonly count: number;
  /** What the SDK calls them: `NonDeterminismError`, `WorkflowError`, `GrpcMessageTooLarge`. */
  readonly reasons: readonly string[];
}

/** Failed workflow tasks by workflow type, from the SDK's metrics in Prometheus' format. */
export function failuresIn(text: string): ReadonlyMap<string, TaskFailures> {
  const counts = new Map<string, TaskFailures>();
  for (const { groups } of text.matchAll(COUNTER)) {
    const labels = groups?.['labels'] ?? '';
    const type = /workflow_type="(?<type>[^"]*)"/.exec(labels)?.groups?.['type'] ?? 'workflows';
    const reason = /failure_reason="(?<reason>[^"]*)"/.exec(labels)?.groups?.['reason'] ?? 'unknown';
    const { count, reasons } = counts.get(type) ?? { count: 0, reasons: [] };
    counts.set(type, { count: count + Number(groups?.['count']), reasons: [...reasons, reason] });
  }
  return counts;
}
