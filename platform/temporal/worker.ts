import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { type ActivityInboundCallsInterceptor, Worker, type WorkerOptions } from '@temporalio/worker';
import { FAILED_ATTEMPT, failureIn, takesFailures } from '../../domain/ironic/failed-attempt.ts';
import { messageOf } from '../../domain/message-of.ts';
import { withoutUrlSecrets } from '../../domain/urls/hidden.ts';
import type { Log } from '../log.ts';
import type { TemporalAccess } from './access/access.ts';
import { fieldsForSdk, rememberUid } from './activity-fields.ts';
import { namespaceId } from './client.ts';
import { connectWorker, type WorkerConnection } from './clients.ts';
import { failingRequests, type SignalFailing } from './failing-requests.ts';
import type { HistoryMark } from './history-mark.ts';
import { LONG_ACTIVATIONS } from './long-activations.ts';
import { progressOf } from './progress.ts';
import { renewConnection } from './renew-connection.ts';
import type { TaskGate } from './task-gate.ts';
import { workerIdentity } from './worker-identity.ts';

export interface KeptWorker {
  readonly temporal: TemporalAccess;
  readonly log: Log;
  readonly options: Omit<WorkerOptions, 'connection' | 'namespace'>;
  /** Called when an activity keeps failing. */
  readonly signalFailing: SignalFailing;
  /** Absent: nothing notices that Temporal's database was put back. */
  readonly mark?: Pick<HistoryMark, 'interceptor'>;
  /** Absent: tasks may be taken at any time. */
  readonly gate?: TaskGate;
  /** Set for activities of Ironic: a failed attempt is a failed activity. */
  readonly failsAttempts?: true;
  /** Called when the worker starts to take tasks and when it stops. */
  readonly onRunning: (isRunning: boolean) => void;
}

/** Pause before a worker is recreated that ended unexpectedly. */
const RESTART_MS = 1_000;

/** How long Temporal may take to show its namespace, before a worker is created. */
const NAMESPACE_MS = 5_000;

const BEAT_MS = 5_000;

/** Every activity that takes longer than one interval sends heartbeats, so that a dead worker is noticed soon. */
const BEATING: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    const context = Context.current();
    const beat = setInterval(() => context.heartbeat(progressOf(context)), BEAT_MS);
    try {
      return await next(input);
    } finally {
      clearInterval(beat);
    }
  },
};

/**
 * Keeps a worker running until the signal aborts, across restarts of Temporal and failures of the worker. The log has
 * each reason once, until the worker has run again.
 */
export async function keepWorker(kept: KeptWorker, signal: AbortSignal): Promise<void> {
  const { log, options, gate } = kept;
  let said = '';
  const onRunning = (isRunning: boolean): void => {
    if (isRunning) said = '';
    kept.onRunning(isRunning);
  };
  while (!signal.aborted) {
    let closed: AbortSignal | undefined;
    try {
      closed = await gate?.pass(signal);
      await serve({ ...kept, onRunning }, closed === undefined ? signal : AbortSignal.any([signal, closed]));
    } catch (error) {
      if (signal.aborted) return;
      const reason = messageOf(error);
      if (!closed?.aborted && reason !== said)
        log.error({ err: error, taskQueue: options.taskQueue }, 'worker ended and is restarted');
      said = reason;
    } finally {
      onRunning(false);
    }
    if (closed?.aborted) continue;
    await sleep(RESTART_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function serve(kept: KeptWorker, signal: AbortSignal): Promise<void> {
  const { temporal, log, onRunning } = kept;
  const first = await connectWorker(temporal, log, signal);
  const worker = await createWorker(first, kept);
  const connection = renewConnection(worker, first, temporal, log);
  const stop = (): void => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    onRunning(true);
    const run = worker.run();
    if (signal.aborted) stop();
    await run;
  } finally {
    signal.removeEventListener('abort', stop);
    await connection.close();
  }
}

async function createWorker(
  { connection }: WorkerConnection,
  { temporal, options, signalFailing, mark, failsAttempts }: KeptWorker,
): Promise<Worker> {
  const { namespace, dataConverter, tracing } = temporal;
  const first = failsAttempts ? [failedAttempts] : [];
  const inbound = [...first, rememberUid, BEATING, failingRequests(signalFailing), cleanErrors];
  if (mark !== undefined) inbound.push(mark.interceptor);
  try {
    // The SDK's first request for a worker, made before there is one: a worker whose creation fails leaves its thread
    // for workflows behind, of more than two megabytes each.
    await namespaceId(new Client({ connection, namespace }), NAMESPACE_MS);
    return await Worker.create({
      ...LONG_ACTIVATIONS,
      shutdownGraceTime: '5 seconds',
      identity: workerIdentity(),
      interceptors: {
        activity: [
          ...tracing.activity,
          (context) => ({ outbound: fieldsForSdk(context) }),
          ...inbound.map((each) => () => ({ inbound: each })),
        ],
      },
      sinks: tracing.sinks,
      ...options,
      connection,
      namespace,
      ...(dataConverter && { dataConverter }),
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The errors of activities go into histories: users and queries of URLs are removed from them. */
export const cleanErrors: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    try {
      return await next(input);
    } catch (error) {
      clean(error);
      throw error;
    }
  },
};

/** The error is changed in place, because its type decides whether it is retried. */
function clean(error: unknown): void {
  const seen = new Set<unknown>();
  for (let each = error; each instanceof Error && !seen.has(each); each = each.cause) {
    seen.add(each);
    replace(each, 'message');
    replace(each, 'stack');
  }
}

function replace(error: Error, field: 'message' | 'stack'): void {
  const text = error[field];
  if (text === undefined) return;
  const value = withoutUrlSecrets(text);
  if (value !== text) Object.defineProperty(error, field, { value, writable: true, configurable: true });
}

/**
 * Ends an activity whose answer is a failure as a failed one: the Web UI shows it in red. The workflow gets the answer
 * from the details of the error, if it says that it does. It is benign: neither logged nor counted as a failure of the
 * workers.
 */
export const failedAttempts: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    const answer = await next(input);
    const [order, more] = input.args;
    if (!takesFailures(more)) return answer;
    const message = failureIn(Context.current().info.activityType, order, answer);
    if (message === undefined) return answer;
    throw ApplicationFailure.create({
      type: FAILED_ATTEMPT,
      nonRetryable: true,
      category: ApplicationFailureCategory.BENIGN,
      message,
      details: [answer],
    });
  },
};
